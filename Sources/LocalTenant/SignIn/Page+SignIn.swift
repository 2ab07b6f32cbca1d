extension Page {
  static func signIn(_ transaction: SignInTransaction, username: String, complaint: Complaint? = nil) -> Page {
    let texts = transaction.texts
    var below = "<p>\(link(transaction, to: .reset, texts.forgotPassword))</p>"
    if transaction.allowsSignUp {
      below += "\n<p>\(escape(texts.noAccountYet)) \(link(transaction, to: .signUp, texts.signUpNow))</p>"
    }
    return form(
      transaction, \.signIn, at: .login, complaint: complaint,
      fields: [
        Field(name: "logonIdentifier", label: texts.userNameOrEmail, autocomplete: "username", value: username),
        Field(name: "password", label: texts.password, type: "password", autocomplete: "current-password"),
      ],
      buttons: [Button(label: texts.signIn, action: "sign_in")], below: below)
  }

  static func signUp(
    _ transaction: SignInTransaction, values: [String: String] = [:], complaint: Complaint? = nil
  ) -> Page {
    let texts = transaction.texts
    return form(
      transaction, \.signUp, at: .signUp, complaint: complaint,
      fields: [
        Field(name: "username", label: texts.userName, autocomplete: "username", value: values["username"] ?? ""),
        Field(name: "email", label: texts.email, type: "email", autocomplete: "email", value: values["email"] ?? ""),
        Field(name: "displayName", label: texts.displayName, autocomplete: "name", value: values["displayName"] ?? ""),
        Field(
          name: "newPassword", label: texts.password, type: "password", autocomplete: "new-password",
          hint: texts.passwordRule),
        Field(name: "reenterPassword", label: texts.passwordAgain, type: "password", autocomplete: "new-password"),
      ],
      buttons: [Button(label: texts.createAccount, action: "create")],
      below: transaction.policy.kind == .signUp ? "" : "<p>\(link(transaction, to: .login, texts.haveAccount))</p>")
  }

  /// The page for `prompt=select_account`.
  static func accountChoice(_ transaction: SignInTransaction, _ user: User?) -> Page {
    let texts = transaction.texts
    var buttons = [Button(label: texts.anotherAccount, action: "another")]
    if let user { buttons.insert(Button(label: texts.fill(\.goOnAs, user.displayName), action: "continue"), at: 0) }
    return form(transaction, \.chooseAccount, at: .login, buttons: buttons)
  }

  /// The page for `prompt=consent`.
  static func consent(_ transaction: SignInTransaction) -> Page {
    let texts = transaction.texts
    let scopes = transaction.scope.values.map { "<li>\(escape($0))</li>" }.joined()
    return form(
      transaction, \.consentTitle, at: .consent,
      intro: texts.fill(\.consentText, transaction.request.client.name), list: "<ul>\(scopes)</ul>",
      buttons: [Button(label: texts.allow, action: "allow")])
  }

  /// The page that asks for the user whose password is forgotten.
  static func accountName(_ transaction: SignInTransaction, username: String, complaint: Complaint? = nil) -> Page {
    let texts = transaction.texts
    return form(
      transaction, \.resetTitle, at: .reset, intro: texts.resetText, complaint: complaint,
      fields: [Field(name: "logonIdentifier", label: texts.userNameOrEmail, autocomplete: "username", value: username)],
      buttons: [Button(label: texts.sendCode, action: "send")])
  }

  static func newPassword(_ transaction: SignInTransaction, complaint: Complaint? = nil) -> Page {
    let texts = transaction.texts
    return form(
      transaction, \.newPasswordTitle, at: .reset, complaint: complaint,
      fields: [
        Field(
          name: "newPassword", label: texts.newPassword, type: "password", autocomplete: "new-password",
          hint: texts.passwordRule),
        Field(name: "reenterPassword", label: texts.newPasswordAgain, type: "password", autocomplete: "new-password"),
      ],
      buttons: [Button(label: texts.goOn, action: "continue")])
  }

  static func profile(_ transaction: SignInTransaction, displayName: String, complaint: Complaint? = nil) -> Page {
    let texts = transaction.texts
    return form(
      transaction, \.editTitle, at: .edit, complaint: complaint,
      fields: [
        Field(name: "displayName", label: texts.displayName, autocomplete: "name", value: displayName)
      ],
      buttons: [Button(label: texts.goOn, action: "continue")])
  }

  /// The page that asks for a code: the second factor, or the code mailed to a user who forgot the password.
  static func verification(_ transaction: SignInTransaction, complaint: Complaint? = nil) -> Page {
    let texts = transaction.texts
    var intro = texts.appCode
    var place = ""
    var buttons = [Button(label: texts.verify, action: "verify")]
    if case .message(_, let address) = transaction.verification?.method {
      intro = texts.fill(\.sentCode, masked(address))
      place = quiet(texts.codeIsTold)
      buttons.append(Button(label: texts.newCode, action: "resend", skipsFields: true))
    }
    if transaction.verification?.isRenewed == true { intro = "\(texts.newCodeSent) \(intro)" }
    let isReset = transaction.userID == nil
    return form(
      transaction, isReset ? \.verifyAddress : \.verifyTitle, at: isReset ? .reset : .verify, intro: intro,
      list: place, complaint: complaint,
      fields: [
        Field(name: "verificationCode", label: texts.code, autocomplete: "one-time-code", hint: texts.sixDigits)
      ],
      buttons: buttons)
  }

  /// Masks most of the address, so that only its owner recognizes it: `a•••@contoso.example`, `+155•••00`.
  private static func masked(_ address: String) -> String {
    guard let at = address.firstIndex(of: "@") else { return "\(address.prefix(4))•••\(address.suffix(2))" }
    return "\(address.prefix(1))•••\(address[at...])"
  }

  /// The page where a user enters a device's code.
  static func deviceCode(
    _ texts: Texts, _ address: PolicyAddress, userCode: String, locales: String?, complaint: Complaint? = nil
  ) -> Page {
    Page(
      Form(
        title: \.deviceTitle, action: address.page(.device), intro: quiet(texts.deviceText), complaint: complaint,
        hidden: locales.map { [("ui_locales", $0)] } ?? [],
        fields: [
          Field(name: "user_code", label: texts.code, autocomplete: "off", value: userCode, hint: texts.deviceCodeHint)
        ],
        buttons: [Button(label: texts.next, action: "next")]), texts)
  }

  /// The page that asks whether the user started this sign-in, because someone else may have sent the code (RFC 8628
  /// §5.4).
  static func deviceConfirmation(
    _ texts: Texts, _ address: PolicyAddress, id: String, userCode: String, client: String, user: User
  ) -> Page {
    let values = ["app": client, "user": user.displayName, "code": userCode]
    // All placeholders are replaced in one pass, so that a placeholder inside a filled-in value stays as it is.
    let text = escape(texts.deviceConfirmText).replacing(#/\{(app|user|code)\}/#) {
      "<b>\(escape(values[String($0.output.1)] ?? ""))</b>"
    }
    return Page(
      Form(
        title: \.deviceConfirmTitle, action: address.page(.device),
        intro: "<p>\(text)</p>\n\(quiet(texts.deviceConfirmWarning))", hidden: [("confirmation", id)],
        buttons: [Button(label: texts.goOn, action: "continue")]), texts)
  }
}
