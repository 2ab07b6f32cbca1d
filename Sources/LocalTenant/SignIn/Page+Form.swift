extension Page {
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
    _ transaction: SignInTransaction, _ title: KeyPath<Texts, String>, at page: String, intro: String? = nil,
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

  static func link(_ transaction: SignInTransaction, to page: String, _ text: String) -> String {
    "<a href=\"\(escape(transaction.request.address.page(page)))?tx=\(transaction.id)\">\(escape(text))</a>"
  }
}
