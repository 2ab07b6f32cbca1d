extension Page {
  /// A field that a person types into.
  struct Field {
    let name: String
    let label: String
    let type: String
    let autocomplete: String
    var value = ""
    var hint: String?

    init(
      _ name: String, _ label: String, type: String = "text", autocomplete: String, value: String = "",
      hint: String? = nil
    ) {
      self.name = name
      self.label = label
      self.type = type
      self.autocomplete = autocomplete
      self.value = value
      self.hint = hint
    }

    func html(isFocused: Bool, complaint: Complaint?) -> String {
      let isInvalid = complaint?.fields.contains(name) == true
      let note = isInvalid ? complaint?.note : nil
      var described: [String] = []
      if isInvalid, note == nil || name == complaint?.fields.first { described.append("error") }
      if note != nil { described.append("\(name)-problem") }
      if hint != nil { described.append("\(name)-hint") }
      var attributes = "id=\"\(name)\" name=\"\(name)\" type=\"\(type)\" autocomplete=\"\(autocomplete)\" required"
      attributes += keyboard
      if type != "password" { attributes += " value=\"\(escape(value))\"" }
      if isFocused { attributes += " autofocus" }
      if isInvalid { attributes += " aria-invalid=\"true\"" }
      if !described.isEmpty { attributes += " aria-describedby=\"\(described.joined(separator: " "))\"" }
      let problem = note.map { "\n<p class=\"problem\" id=\"\(name)-problem\">\(escape($0))</p>" } ?? ""
      let explanation = hint.map { "\n<p class=\"hint\" id=\"\(name)-hint\">\(escape($0))</p>" } ?? ""
      return "<label for=\"\(name)\">\(escape(label))</label>\(problem)\n<input \(attributes)>\(explanation)"
    }

    private var keyboard: String {
      switch autocomplete {
      case "username": " autocapitalize=\"none\" spellcheck=\"false\""
      case "one-time-code": " inputmode=\"numeric\" maxlength=\"16\""
      // The code of a device.
      case "off": " autocapitalize=\"characters\" spellcheck=\"false\""
      default: ""
      }
    }
  }

  /// What is wrong with what was typed, and in which fields.
  struct Complaint {
    var text: String
    /// `AADB2C90225`, or what else is said in English in every language; nil for nothing.
    var code: String?
    /// Names of fields.
    var fields: [String]
    /// What stands at each of them; nil where `text` says it all.
    var note: String?
  }
}

extension Page.Complaint {
  /// Above the form. With several fields it leads to each of them.
  func summary(_ known: [Page.Field]) -> String {
    let code = code.map { "<p class=\"code\" lang=\"en\">\(Page.escape($0))</p>" } ?? ""
    let links = known.filter { fields.contains($0.name) }.map {
      "<li><a href=\"#\($0.name)\">\(Page.escape($0.label))</a></li>"
    }
    let list = links.count > 1 ? "<ul>\(links.joined())</ul>" : ""
    return """
      <div class="error" id="error" role="alert" tabindex="-1"><p>\(Page.escape(text))</p>\(code)\(list)</div>

      """
  }
}
