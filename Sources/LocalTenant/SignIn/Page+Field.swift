extension Page {
  /// A text field of a form.
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
      // The field for a device's code.
      case "off": " autocapitalize=\"characters\" spellcheck=\"false\""
      default: ""
      }
    }
  }

  /// An error about the input, and the fields that caused it.
  struct Complaint {
    var text: String
    /// `AADB2C90225` or another code, which is the same in all languages; nil for none.
    var code: String?
    /// The names of the fields.
    var fields: [String]
    /// The note at each of the fields; nil if `text` is enough.
    var note: String?
  }
}

extension Page.Complaint {
  /// The text above the form. If several fields have an error, it links to each of them.
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
