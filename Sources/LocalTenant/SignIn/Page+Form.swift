import Pages
import TenantTexts

extension Page {
  struct Field {
    let name: String
    let label: String
    var type = "text"
    let autocomplete: String
    var value = ""
    var hint: String?

    func html(isFocused: Bool, complaint: Complaint?) -> HTML {
      let isInvalid = complaint?.fields.contains(name) == true
      let note = isInvalid ? complaint?.note : nil
      var described: [String] = []
      if isInvalid, note == nil || name == complaint?.fields.first { described.append("error") }
      if note != nil { described.append("\(name)-problem") }
      if hint != nil { described.append("\(name)-hint") }
      let keyboard = keyboard
      let input = HTML(
        .input, id: name,
        with: [
          "name": name, "type": type, "autocomplete": autocomplete, "required": "",
          "autocapitalize": keyboard.capitals, "spellcheck": keyboard.capitals == nil ? nil : "false",
          "inputmode": keyboard.isNumeric ? "numeric" : nil, "maxlength": keyboard.isNumeric ? "16" : nil,
          "value": type == "password" ? nil : value, "autofocus": isFocused ? "" : nil,
          "aria-invalid": isInvalid ? "true" : nil,
          "aria-describedby": described.isEmpty ? nil : described.joined(separator: " "),
        ])
      return .list(
        HTML(.label, with: ["for": name], label), "\n",
        note.map { HTML.list(HTML(.p, class: "problem", id: "\(name)-problem", $0), "\n") }, input,
        hint.map { HTML(.p, class: "hint", id: "\(name)-hint", $0) })
    }

    private var keyboard: (capitals: String?, isNumeric: Bool) {
      switch autocomplete {
      case "username": ("none", false)
      case "one-time-code": (nil, true)
      // The field for a device's code.
      case "off": ("characters", false)
      default: (nil, false)
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
    func summary(_ known: [Field]) -> HTML {
      let links = known.filter { fields.contains($0.name) }.map {
        HTML(.li, HTML(.a, with: ["href": "#\($0.name)"], $0.label))
      }
      return HTML(
        .div, class: "error", id: "error", with: ["role": "alert", "tabindex": "-1"], HTML(.p, text),
        code.map { HTML(.p, class: "code", with: ["lang": "en"], $0) }, links.count > 1 ? HTML(.ul, links) : nil)
    }
  }

  struct Button {
    let label: String
    let action: String
    /// True if the button submits the form without required fields.
    var skipsFields = false

    func html(class: String? = nil) -> HTML {
      HTML(
        .button, class: `class`,
        with: ["type": "submit", "name": "action", "value": action, "formnovalidate": skipsFields ? "" : nil], label)
    }
  }

  /// The Return key presses the first button, one button cancels, and the others have their own row.
  /// - Parameters:
  ///   - action: the path that the form is sent to.
  ///   - intro: the content above the fields; `below` is the content below the form.
  init(
    _ texts: Texts, _ title: KeyPath<Texts, String>, action: String, intro: HTML, complaint: Complaint? = nil,
    hidden: [(String, String)], fields: [Field] = [], buttons: [Button], below: HTML? = nil, formTargets: [String] = []
  ) {
    let cancel = Button(label: texts.cancel, action: "cancel", skipsFields: true)
    let row = HTML(
      .div, class: "buttons", buttons.first?.html(class: "primary"), cancel.html(),
      buttons.dropFirst().map { $0.html(class: "more") })
    let focused =
      fields.first { complaint?.fields.contains($0.name) == true }
      ?? fields.first { $0.value.isEmpty } ?? fields.first
    let form = HTML(
      .form, with: ["method": "post", "action": action], hidden.map { Self.hidden($0, $1) },
      fields.map { $0.html(isFocused: $0.name == focused?.name, complaint: complaint) }, row)
    self.init(
      texts: texts, title: texts[keyPath: title], content: .list(intro, complaint?.summary(fields), form, below),
      hasError: complaint != nil, formTargets: formTargets)
  }

  static func hidden(_ name: String, _ value: String) -> HTML {
    HTML(.input, with: ["type": "hidden", "name": name, "value": value])
  }

  static func quiet(_ text: String) -> HTML { HTML(.p, class: "quiet", text) }
}
