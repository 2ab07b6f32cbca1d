extension Page {
  static func signIn(_ transaction: SignInTransaction, username: String, complaint: Complaint? = nil) -> Page {
    let texts = transaction.texts
    let isNameWrong = complaint?.fields.contains("logonIdentifier") == true
    var below = "<p>\(link(transaction, to: "reset", texts.forgotPassword))</p>"
    if transaction.allowsSignUp {
      below += "\n<p>\(escape(texts.noAccountYet)) \(link(transaction, to: "signup", texts.signUpNow))</p>"
    }
    return form(
      transaction, \.signIn, at: "login", complaint: complaint,
      fields: [
        field(
          "logonIdentifier", texts.userNameOrEmail, type: "text", autocomplete: "username", value: username,
          isFocused: username.isEmpty || isNameWrong, complaint: complaint),
        field(
          "password", texts.password, type: "password", autocomplete: "current-password",
          isFocused: !username.isEmpty && !isNameWrong, complaint: complaint),
      ],
      buttons: [Button(label: texts.signIn, action: "sign_in")], below: below)
  }

  static func signUp(
    _ transaction: SignInTransaction, values: [String: String] = [:], complaint: Complaint? = nil
  ) -> Page {
    let texts = transaction.texts
    let first = complaint?.fields.first ?? "username"
    func field(_ name: String, _ label: String, type: String, autocomplete: String, hint: String? = nil) -> String {
      Page.field(
        name, label, type: type, autocomplete: autocomplete, value: values[name] ?? "", hint: hint,
        isFocused: first == name, complaint: complaint)
    }
    return form(
      transaction, \.signUp, at: "signup", complaint: complaint,
      fields: [
        field("username", texts.userName, type: "text", autocomplete: "username"),
        field("email", texts.email, type: "email", autocomplete: "email"),
        field("displayName", texts.displayName, type: "text", autocomplete: "name"),
        field(
          "newPassword", texts.password, type: "password", autocomplete: "new-password", hint: texts.passwordRule),
        field("reenterPassword", texts.passwordAgain, type: "password", autocomplete: "new-password"),
      ],
      buttons: [Button(label: texts.createAccount, action: "create")],
      below: transaction.policy.kind == .signUp ? "" : "<p>\(link(transaction, to: "login", texts.haveAccount))</p>")
  }

  /// For `prompt=select_account`.
  static func accountChoice(_ transaction: SignInTransaction, _ user: User?) -> Page {
    let texts = transaction.texts
    var buttons = [Button(label: texts.anotherAccount, action: "another")]
    if let user { buttons.insert(Button(label: texts.fill(\.goOnAs, user.displayName), action: "continue"), at: 0) }
    return form(transaction, \.chooseAccount, at: "login", buttons: buttons)
  }

  /// For `prompt=consent`.
  static func consent(_ transaction: SignInTransaction) -> Page {
    let texts = transaction.texts
    let scopes = transaction.scope.values.map { "<li>\(escape($0))</li>" }.joined()
    return form(
      transaction, \.consentTitle, at: "consent",
      intro: texts.fill(\.consentText, transaction.request.client.name), fields: ["<ul>\(scopes)</ul>"],
      buttons: [Button(label: texts.allow, action: "allow")])
  }
}
