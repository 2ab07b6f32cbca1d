import Pages
import TenantTexts

extension SignInTransaction {
  private typealias Field = Page.Field
  private typealias Button = Page.Button

  private func form(
    _ title: KeyPath<Texts, String>, at page: PolicyEndpoint, intro: String? = nil, list: HTML? = nil,
    complaint: Page.Complaint? = nil, fields: [Field] = [], buttons: [Button], below: HTML? = nil
  ) -> Page {
    Page(
      texts, title, action: request.address.page(page),
      intro: .list(Page.quiet(intro ?? texts.fill(\.goOnTo, request.client.name)), list), complaint: complaint,
      hidden: [("tx", id)], fields: fields, buttons: buttons, below: below,
      formTargets: [Page.source(request.redirectURI)])
  }

  private func link(to page: PolicyEndpoint, _ text: String) -> HTML {
    HTML(.a, with: ["href": "\(request.address.page(page))?tx=\(id)"], text)
  }

  func signInPage(username: String, complaint: Page.Complaint? = nil) -> Page {
    // An app of B2C gets an error and then uses the policy for forgotten passwords, which External ID does not have.
    let reset = request.address.isExternalID ? nil : HTML(.p, link(to: .reset, texts.forgotPassword))
    let signUp =
      allowsSignUp ? HTML(.p, "\(texts.noAccountYet) ", link(to: .signUp, texts.signUpNow)) : nil
    return form(
      \.signIn, at: .login, complaint: complaint,
      fields: [
        Field(name: "logonIdentifier", label: texts.userNameOrEmail, autocomplete: "username", value: username),
        Field(name: "password", label: texts.password, type: "password", autocomplete: "current-password"),
      ],
      buttons: [Button(label: texts.signIn, action: "sign_in")], below: .list(reset, signUp))
  }

  func signUpPage(values: [String: String] = [:], complaint: Page.Complaint? = nil) -> Page {
    form(
      \.signUp, at: .signUp, complaint: complaint,
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
      below: policy.kind == .signUp ? nil : HTML(.p, link(to: .login, texts.haveAccount)))
  }

  /// The page for `prompt=select_account`.
  func accountChoicePage(_ user: User?) -> Page {
    var buttons = [Button(label: texts.anotherAccount, action: "another")]
    if let user { buttons.insert(Button(label: texts.fill(\.goOnAs, user.displayName), action: "continue"), at: 0) }
    return form(\.chooseAccount, at: .login, buttons: buttons)
  }

  /// The page for `prompt=consent` and for authorization details.
  func consentPage() -> Page {
    let scopes = (scope.values + (details?.lines ?? [])).map { HTML(.li, $0) }
    return form(
      \.consentTitle, at: .consent, intro: texts.fill(\.consentText, request.client.name), list: HTML(.ul, scopes),
      buttons: [Button(label: texts.allow, action: "allow")])
  }

  /// The page that asks for the user whose password is forgotten.
  func accountNamePage(username: String, complaint: Page.Complaint? = nil) -> Page {
    form(
      \.resetTitle, at: .reset, intro: texts.resetText, complaint: complaint,
      fields: [Field(name: "logonIdentifier", label: texts.userNameOrEmail, autocomplete: "username", value: username)],
      buttons: [Button(label: texts.sendCode, action: "send")])
  }

  func newPasswordPage(complaint: Page.Complaint? = nil) -> Page {
    form(
      \.newPasswordTitle, at: .reset, complaint: complaint,
      fields: [
        Field(
          name: "newPassword", label: texts.newPassword, type: "password", autocomplete: "new-password",
          hint: texts.passwordRule),
        Field(name: "reenterPassword", label: texts.newPasswordAgain, type: "password", autocomplete: "new-password"),
      ],
      buttons: [Button(label: texts.goOn, action: "continue")])
  }

  func profilePage(displayName: String, complaint: Page.Complaint? = nil) -> Page {
    form(
      \.editTitle, at: .edit, complaint: complaint,
      fields: [Field(name: "displayName", label: texts.displayName, autocomplete: "name", value: displayName)],
      buttons: [Button(label: texts.goOn, action: "continue")])
  }

  /// The page that asks for a code: the second factor, or the code mailed to a user who forgot the password.
  func verificationPage(complaint: Page.Complaint? = nil) -> Page {
    var intro = texts.appCode
    var place: HTML?
    var buttons = [Button(label: texts.verify, action: "verify")]
    if case .message(_, let address) = verification?.method {
      intro = texts.fill(\.sentCode, masked(address))
      place = Page.quiet(texts.codeIsTold)
      buttons.append(Button(label: texts.newCode, action: "resend", skipsFields: true))
    }
    if verification?.isRenewed == true { intro = "\(texts.newCodeSent) \(intro)" }
    let isReset = userID == nil
    return form(
      isReset ? \.verifyAddress : \.verifyTitle, at: isReset ? .reset : .verify, intro: intro, list: place,
      complaint: complaint,
      fields: [
        Field(name: "verificationCode", label: texts.code, autocomplete: "one-time-code", hint: texts.sixDigits)
      ],
      buttons: buttons)
  }

  /// Masks most of the address, so that only its owner recognizes it: `a•••@contoso.example`, `+155•••00`.
  private func masked(_ address: String) -> String {
    guard let at = address.firstIndex(of: "@") else { return "\(address.prefix(4))•••\(address.suffix(2))" }
    return "\(address.prefix(1))•••\(address[at...])"
  }
}
