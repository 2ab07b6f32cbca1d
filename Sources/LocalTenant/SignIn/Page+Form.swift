extension Page {
  /// What is wrong with what was typed, and in which fields.
  struct Complaint {
    var text: String
    /// `AADB2C90225`; nil where B2C has none.
    var code: String?
    /// Names of fields; the first is where the summary leads.
    var fields: [String]
  }

  struct Button {
    let label: String
    let action: String
    /// Whether the fields need not be filled in for it.
    var skipsFields = false

    func html(_ attribute: String = "") -> String {
      "<button\(attribute) type=\"submit\" name=\"action\" value=\"\(action)\"\(skipsFields ? " formnovalidate" : "")>"
        + "\(escape(label))</button>"
    }
  }

  /// A page of a sign-in: a form with its fields, the first of the buttons for Return, one to cancel, and the others in a
  /// row of their own.
  static func form(
    _ transaction: SignInTransaction, _ title: KeyPath<Texts, String>, at page: String, intro: String? = nil,
    complaint: Complaint? = nil, fields: [String] = [], buttons: [Button], below: String = ""
  ) -> Page {
    let texts = transaction.texts
    let app = transaction.request.client.name
    let cancel = Button(label: texts.cancel, action: "cancel", skipsFields: true)
    let rows =
      (buttons.first?.html(" class=\"primary\"") ?? "") + "\n" + cancel.html()
      + buttons.dropFirst().map { "\n" + $0.html(" class=\"more\"") }.joined()
    let content = """
      <p class="quiet">\(escape(intro ?? texts.fill(\.goOnTo, app)))</p>
      \(summary(complaint))<form method="post" action="\(escape(transaction.request.address.page(page)))">
      <input type="hidden" name="tx" value="\(transaction.id)">
      \(fields.joined(separator: "\n"))
      <div class="buttons">
      \(rows)
      </div>
      </form>
      \(below)
      """
    return Page(
      texts: texts, title: texts[keyPath: title], content: content,
      formTargets: [source(transaction.request.redirectURI)])
  }

  static func link(_ transaction: SignInTransaction, to page: String, _ text: String) -> String {
    "<a href=\"\(escape(transaction.request.address.page(page)))?tx=\(transaction.id)\">\(escape(text))</a>"
  }

  static func summary(_ complaint: Complaint?) -> String {
    guard let complaint else { return "" }
    let code = complaint.code.map { "<p class=\"code\">\(escape($0))</p>" } ?? ""
    return "<div class=\"error\" id=\"error\" role=\"alert\"><p>\(escape(complaint.text))</p>\(code)</div>\n"
  }

  static func field(
    _ name: String, _ label: String, type: String, autocomplete: String, value: String = "", hint: String? = nil,
    isFocused: Bool, complaint: Complaint? = nil
  ) -> String {
    let isInvalid = complaint?.fields.contains(name) == true
    var described: [String] = []
    if isInvalid { described.append("error") }
    if hint != nil { described.append("\(name)-hint") }
    var attributes = "id=\"\(name)\" name=\"\(name)\" type=\"\(type)\" autocomplete=\"\(autocomplete)\" required"
    if type == "text", autocomplete == "username" { attributes += " autocapitalize=\"none\" spellcheck=\"false\"" }
    if autocomplete == "one-time-code" { attributes += " inputmode=\"numeric\" maxlength=\"16\"" }
    if type != "password" { attributes += " value=\"\(escape(value))\"" }
    if isFocused { attributes += " autofocus" }
    if isInvalid { attributes += " aria-invalid=\"true\"" }
    if !described.isEmpty { attributes += " aria-describedby=\"\(described.joined(separator: " "))\"" }
    let note = hint.map { "\n<p class=\"hint\" id=\"\(name)-hint\">\(escape($0))</p>" } ?? ""
    return "<label for=\"\(name)\">\(escape(label))</label>\n<input \(attributes)>\(note)"
  }
}
