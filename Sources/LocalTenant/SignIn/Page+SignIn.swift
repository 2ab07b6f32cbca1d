extension Page {
  static func signIn(_ transaction: SignInTransaction, username: String, complaint: Complaint? = nil) -> Page {
    let texts = transaction.texts
    var below = "<p>\(link(transaction, to: "reset", texts.forgotPassword))</p>"
    if transaction.allowsSignUp {
      below += "\n<p>\(escape(texts.noAccountYet)) \(link(transaction, to: "signup", texts.signUpNow))</p>"
    }
    return form(
      transaction, \.signIn, at: "login", complaint: complaint,
      fields: [
        Field("logonIdentifier", texts.userNameOrEmail, autocomplete: "username", value: username),
        Field("password", texts.password, type: "password", autocomplete: "current-password"),
      ],
      buttons: [Button(label: texts.signIn, action: "sign_in")], below: below)
  }

  static func signUp(
    _ transaction: SignInTransaction, values: [String: String] = [:], complaint: Complaint? = nil
  ) -> Page {
    let texts = transaction.texts
    return form(
      transaction, \.signUp, at: "signup", complaint: complaint,
      fields: [
        Field("username", texts.userName, autocomplete: "username", value: values["username"] ?? ""),
        Field("email", texts.email, type: "email", autocomplete: "email", value: values["email"] ?? ""),
        Field("displayName", texts.displayName, autocomplete: "name", value: values["displayName"] ?? ""),
        Field("newPassword", texts.password, type: "password", autocomplete: "new-password", hint: texts.passwordRule),
        Field("reenterPassword", texts.passwordAgain, type: "password", autocomplete: "new-password"),
      ],
      buttons: [Button(label: texts.createAccount, action: "create")],
      below: transaction.policy.kind == .signUp ? "" : "<p>\(link(transaction, to: "login", texts.haveAccount))</p>")
  }

  /// The page for `prompt=select_account`.
  static func accountChoice(_ transaction: SignInTransaction, _ user: User?) -> Page {
    let texts = transaction.texts
    var buttons = [Button(label: texts.anotherAccount, action: "another")]
    if let user { buttons.insert(Button(label: texts.fill(\.goOnAs, user.displayName), action: "continue"), at: 0) }
    return form(transaction, \.chooseAccount, at: "login", buttons: buttons)
  }

  /// The page for `prompt=consent`.
  static func consent(_ transaction: SignInTransaction) -> Page {
    let texts = transaction.texts
    let scopes = transaction.scope.values.map { "<li>\(escape($0))</li>" }.joined()
    return form(
      transaction, \.consentTitle, at: "consent",
      intro: texts.fill(\.consentText, transaction.request.client.name), list: "<ul>\(scopes)</ul>",
      buttons: [Button(label: texts.allow, action: "allow")])
  }
}
