extension Page {
  struct Field {
    let name: String
    let label: String
    var type = "text"
    let autocomplete: String
    var value = ""
    var hint: String?

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

  struct Complaint {
    var text: String
    /// `AADB2C90225` or another code, which is the same in all languages; nil for none.
    var code: String?
    var fields: [String]
    /// The note at each of the fields; nil if `text` is enough.
    var note: String?

    /// The text above the form. If several fields have an error, it links to each of them.
    func summary(_ known: [Field]) -> String {
      let code = code.map { "<p class=\"code\" lang=\"en\">\(escape($0))</p>" } ?? ""
      let links = known.filter { fields.contains($0.name) }.map {
        "<li><a href=\"#\($0.name)\">\(escape($0.label))</a></li>"
      }
      let list = links.count > 1 ? "<ul>\(links.joined())</ul>" : ""
      return """
        <div class="error" id="error" role="alert" tabindex="-1"><p>\(escape(text))</p>\(code)\(list)</div>

        """
    }
  }

  struct Button {
    let label: String
    let action: String
    /// True if the button submits the form without required fields.
    var skipsFields = false

    func html(_ attribute: String = "") -> String {
      "<button\(attribute) type=\"submit\" name=\"action\" value=\"\(action)\"\(skipsFields ? " formnovalidate" : "")>"
        + "\(escape(label))</button>"
    }
  }

  /// The Return key presses the first button, one button cancels, and the others have their own row.
  /// - Parameters:
  ///   - action: the path that the form is sent to.
  ///   - intro: the HTML above the fields; `below` is the HTML below the form.
  init(
    _ texts: Texts, _ title: KeyPath<Texts, String>, action: String, intro: String, complaint: Complaint? = nil,
    hidden: [(String, String)], fields: [Field] = [], buttons: [Button], below: String = "", formTargets: [String] = []
  ) {
    let cancel = Button(label: texts.cancel, action: "cancel", skipsFields: true)
    let rows =
      (buttons.first?.html(" class=\"primary\"") ?? "") + "\n" + cancel.html()
      + buttons.dropFirst().map { "\n" + $0.html(" class=\"more\"") }.joined()
    let focused =
      fields.first { complaint?.fields.contains($0.name) == true }
      ?? fields.first { $0.value.isEmpty } ?? fields.first
    let inputs = hidden.map { "<input type=\"hidden\" name=\"\($0.0)\" value=\"\(Self.escape($0.1))\">\n" }
    let elements = fields.map { $0.html(isFocused: $0.name == focused?.name, complaint: complaint) + "\n" }
    self.init(
      texts: texts, title: texts[keyPath: title],
      content: """
        \(intro)
        \(complaint?.summary(fields) ?? "")<form method="post" action="\(Self.escape(action))">
        \(inputs.joined())\(elements.joined())<div class="buttons">
        \(rows)
        </div>
        </form>
        \(below)
        """, hasError: complaint != nil, formTargets: formTargets)
  }

  static func quiet(_ text: String) -> String { "<p class=\"quiet\">\(escape(text))</p>" }
}
