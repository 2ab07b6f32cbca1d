extension Page {
  /// A text field of a form.
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

  /// An error about the input, and the fields that caused it.
  struct Complaint {
    var text: String
    /// `AADB2C90225` or another code, which is the same in all languages; nil for none.
    var code: String?
    /// The names of the fields.
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

  /// The parts of a page with a form: the fields, the buttons and hidden values. The Return key presses the first
  /// button, one button cancels, and the others have their own row.
  struct Form {
    let title: KeyPath<Texts, String>
    /// The path that the form is sent to.
    let action: String
    /// The HTML above the fields.
    var intro: String
    var complaint: Complaint?
    /// The names and values of hidden fields.
    var hidden: [(String, String)]
    var fields: [Field] = []
    var buttons: [Button]
    /// The HTML below the form.
    var below = ""
  }

  init(_ form: Form, _ texts: Texts, formTargets: [String] = []) {
    let cancel = Button(label: texts.cancel, action: "cancel", skipsFields: true)
    let rows =
      (form.buttons.first?.html(" class=\"primary\"") ?? "") + "\n" + cancel.html()
      + form.buttons.dropFirst().map { "\n" + $0.html(" class=\"more\"") }.joined()
    let focused =
      form.fields.first { form.complaint?.fields.contains($0.name) == true }
      ?? form.fields.first { $0.value.isEmpty } ?? form.fields.first
    let hidden = form.hidden.map { "<input type=\"hidden\" name=\"\($0.0)\" value=\"\(Self.escape($0.1))\">\n" }
    let fields = form.fields.map { $0.html(isFocused: $0.name == focused?.name, complaint: form.complaint) + "\n" }
    self.init(
      texts: texts, title: texts[keyPath: form.title],
      content: """
        \(form.intro)
        \(form.complaint?.summary(form.fields) ?? "")<form method="post" action="\(Self.escape(form.action))">
        \(hidden.joined())\(fields.joined())<div class="buttons">
        \(rows)
        </div>
        </form>
        \(form.below)
        """, hasError: form.complaint != nil, formTargets: formTargets)
  }

  /// Makes a page of a sign-in.
  static func form(
    _ transaction: SignInTransaction, _ title: KeyPath<Texts, String>, at page: PolicyEndpoint, intro: String? = nil,
    list: String = "", complaint: Complaint? = nil, fields: [Field] = [], buttons: [Button], below: String = ""
  ) -> Page {
    let request = transaction.request
    let intro = intro ?? transaction.texts.fill(\.goOnTo, request.client.name)
    return Page(
      Form(
        title: title, action: request.address.page(page), intro: quiet(intro) + list, complaint: complaint,
        hidden: [("tx", transaction.id)], fields: fields, buttons: buttons, below: below),
      transaction.texts, formTargets: [source(request.redirectURI)])
  }

  static func quiet(_ text: String) -> String { "<p class=\"quiet\">\(escape(text))</p>" }

  static func link(_ transaction: SignInTransaction, to page: PolicyEndpoint, _ text: String) -> String {
    "<a href=\"\(escape(transaction.request.address.page(page)))?tx=\(transaction.id)\">\(escape(text))</a>"
  }
}
