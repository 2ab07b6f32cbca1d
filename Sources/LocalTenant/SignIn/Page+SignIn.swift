extension Page {
  /// What is wrong with what was typed, and in which fields.
  struct Complaint {
    var text: String
    /// `AADB2C90225`; nil where B2C has none.
    var code: String?
    /// Names of fields; the first is where the summary leads.
    var fields: [String]
  }

  static func signIn(_ transaction: SignInTransaction, username: String, complaint: Complaint? = nil) -> Page {
    let content = """
      <p class="quiet">to go on to \(escape(transaction.request.client.name))</p>
      \(summary(complaint))<form method="post" action="\(escape(transaction.request.address.page("login")))">
      <input type="hidden" name="tx" value="\(transaction.id)">
      \(field("logonIdentifier", "User name or email", type: "text", autocomplete: "username", value: username,
        isFocused: username.isEmpty || complaint?.fields.contains("logonIdentifier") == true, complaint: complaint))
      \(field("password", "Password", type: "password", autocomplete: "current-password",
        isFocused: !username.isEmpty && complaint?.fields.contains("logonIdentifier") != true, complaint: complaint))
      <div class="buttons">
      <button class="primary" type="submit" name="action" value="sign_in">Sign in</button>
      <button type="submit" name="action" value="cancel" formnovalidate>Cancel</button>
      </div>
      </form>
      <p>No account yet? <a href="\(escape(transaction.request.address.page("signup")))?tx=\(transaction.id)">Sign up now</a></p>
      """
    return Page(
      title: "Sign in", content: content, formTargets: [formTarget(transaction.request.redirectURI)])
  }

  static func signUp(
    _ transaction: SignInTransaction, values: [String: String] = [:], complaint: Complaint? = nil
  ) -> Page {
    func value(_ name: String) -> String { values[name] ?? "" }
    let first = complaint?.fields.first ?? "username"
    let content = """
      <p class="quiet">to go on to \(escape(transaction.request.client.name))</p>
      \(summary(complaint))<form method="post" action="\(escape(transaction.request.address.page("signup")))">
      <input type="hidden" name="tx" value="\(transaction.id)">
      \(field("username", "User name", type: "text", autocomplete: "username", value: value("username"),
        isFocused: first == "username", complaint: complaint))
      \(field("email", "Email", type: "email", autocomplete: "email", value: value("email"),
        isFocused: first == "email", complaint: complaint))
      \(field("displayName", "Display name", type: "text", autocomplete: "name", value: value("displayName"),
        isFocused: first == "displayName", complaint: complaint))
      \(field("newPassword", "Password", type: "password", autocomplete: "new-password",
        hint: PasswordRule.text, isFocused: first == "newPassword", complaint: complaint))
      \(field("reenterPassword", "Password once more", type: "password", autocomplete: "new-password",
        isFocused: first == "reenterPassword", complaint: complaint))
      <div class="buttons">
      <button class="primary" type="submit" name="action" value="create">Create account</button>
      <button type="submit" name="action" value="cancel" formnovalidate>Cancel</button>
      </div>
      </form>
      <p><a href="\(escape(transaction.request.address.page("login")))?tx=\(transaction.id)">I have an account</a></p>
      """
    return Page(
      title: "Sign up", content: content, formTargets: [formTarget(transaction.request.redirectURI)])
  }

  static func summary(_ complaint: Complaint?) -> String {
    guard let complaint else { return "" }
    let code = complaint.code.map { "<p class=\"code\">\(escape($0))</p>" } ?? ""
    return "<div class=\"error\" id=\"error\" role=\"alert\"><p>\(escape(complaint.text))</p>\(code)</div>\n"
  }

  static func field(
    _ name: String, _ label: String, type: String, autocomplete: String, value: String = "", hint: String? = nil,
    isFocused: Bool, complaint: Complaint?
  ) -> String {
    let isInvalid = complaint?.fields.contains(name) == true
    var described: [String] = []
    if isInvalid { described.append("error") }
    if hint != nil { described.append("\(name)-hint") }
    var attributes = "id=\"\(name)\" name=\"\(name)\" type=\"\(type)\" autocomplete=\"\(autocomplete)\" required"
    if type == "text", autocomplete == "username" { attributes += " autocapitalize=\"none\" spellcheck=\"false\"" }
    if type != "password" { attributes += " value=\"\(escape(value))\"" }
    if isFocused { attributes += " autofocus" }
    if isInvalid { attributes += " aria-invalid=\"true\"" }
    if !described.isEmpty { attributes += " aria-describedby=\"\(described.joined(separator: " "))\"" }
    let note = hint.map { "\n<p class=\"hint\" id=\"\(name)-hint\">\(escape($0))</p>" } ?? ""
    return "<label for=\"\(name)\">\(escape(label))</label>\n<input \(attributes)>\(note)"
  }
}
