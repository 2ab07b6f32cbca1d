import HTTPServer
import TenantTexts

struct Submission {
  var transaction: SignInTransaction
  let fields: [String: String]
  let request: ServerRequest

  var texts: Texts { transaction.texts }
  var action: String { self["action"] }

  subscript(_ name: String) -> String { fields[name] ?? "" }

  func complaint(aboutEmpty required: [String], _ text: String? = nil) -> Page.Complaint? {
    let empty = required.filter { self[$0].trimmingSpaces.isEmpty }
    return empty.isEmpty
      ? nil : Page.Complaint(text: text ?? texts.missingFields, fields: empty, note: texts.emptyField)
  }

  /// The complaint about a new password that breaks the rule or whose two entries differ.
  var passwordComplaint: Page.Complaint? {
    if !Self.admits(password: self["newPassword"]) {
      return Page.Complaint(text: texts.fill(\.passwordMustHave, texts.passwordRule), fields: ["newPassword"])
    }
    guard self["newPassword"] != self["reenterPassword"] else { return nil }
    // Both fields are emptied, and the user starts with the first one.
    return Page.Complaint(text: texts.passwordsDiffer, fields: ["newPassword", "reenterPassword"])
  }

  /// B2C's "strong" rule for new passwords; `Texts.passwordRule` explains it.
  private static func admits(password: String) -> Bool {
    (8...64).contains(password.count) && password.kindsOfCharacters >= 3
  }
}

extension String {
  /// The number of kinds of characters: small letters, capitals, digits and others.
  var kindsOfCharacters: Int { Set(map { $0.isLowercase ? 0 : $0.isUppercase ? 1 : $0.isNumber ? 2 : 3 }).count }
}

extension SignInEndpoint {
  /// Shows a page or handles its form. The response is the page of another step if the sign-in is there.
  func page(_ endpoint: PolicyEndpoint, _ request: ServerRequest) throws -> ServerResponse {
    if let refusal = Page.refusal(of: request, unless: ["GET", "POST"]) { return refusal }
    let fields = Dictionary(request.query + request.form) { _, last in last }
    guard let transaction = transactions.current(fields["tx"]),
      transaction.browser == request.cookie(Cookies.browser)
    else { return lost(request) }
    let user = try transaction.userID.flatMap { try directory.user(id: $0) }
    // The user was removed in the meantime.
    if transaction.userID != nil, user == nil { return lost(request) }
    let step = transaction.step(user)
    guard request.method == "POST" else { return try link(endpoint, step, transaction, user, request) }
    var form = Submission(transaction: transaction, fields: fields, request: request)
    if form.action == "cancel" { return try end(transaction, ProtocolError(90091), request) }
    switch (endpoint, step, user) {
    case (.login, .accountChoice, _): return try chooseAccount(&form)
    case (.login, .signIn, _): return try signIn(&form)
    case (.signUp, .signIn, _) where transaction.allowsSignUp, (.signUp, .signUp, _): return try signUp(&form)
    case (.reset, .accountName, _): return try sendResetCode(&form)
    case (.reset, .mailCode, _), (.verify, .secondFactor, _): return try verify(&form)
    case (.reset, .newPassword, let user?): return try setPassword(&form, user)
    case (.edit, .profile, let user?): return try edit(&form, user)
    case (.consent, .consent, _): form.transaction.hasConsented = true
    default: break
    }
    return try proceed(form.transaction, user, request)
  }

  private func link(
    _ endpoint: PolicyEndpoint, _ step: SignInStep, _ transaction: SignInTransaction, _ user: User?,
    _ request: ServerRequest
  ) throws -> ServerResponse {
    switch (endpoint, step) {
    case (.signUp, .signIn) where transaction.allowsSignUp: transaction.signUpPage().response()
    case (.reset, .signIn): try end(transaction, ProtocolError(90118), request)
    default: try proceed(transaction, user, request)
    }
  }

  // MARK: Signing in and signing up

  private func signIn(_ form: inout Submission) throws -> ServerResponse {
    let username = form["logonIdentifier"]
    var complaint = form.complaint(aboutEmpty: ["logonIdentifier", "password"], form.texts.missingCredentials)
    if complaint == nil {
      switch try directory.authenticate(username, password: form["password"]) {
      case .success(let user): return try recognized(&form, user)
      case .wrongCredentials:
        complaint = Page.Complaint(text: form.texts.wrongCredentials, code: "AADB2C90225", fields: ["password"])
      case .locked: complaint = Page.Complaint(text: form.texts.locked, code: "AADB2C90114", fields: ["password"])
      }
    }
    return form.transaction.signInPage(username: username, complaint: complaint).response()
  }

  private func chooseAccount(_ form: inout Submission) throws -> ServerResponse {
    guard form.action == "continue", let (session, user) = try offeredUser(form.transaction) else {
      form.transaction.offeredSession = nil
      return try proceed(form.transaction, nil, form.request)
    }
    form.transaction.userID = user.id
    form.transaction.session = form.transaction.offeredSession
    form.transaction.hasSecondFactor = session.hasSecondFactor
    return try proceed(form.transaction, user, form.request)
  }

  private func recognized(_ form: inout Submission, _ user: User) throws -> ServerResponse {
    form.transaction.userID = user.id
    form.transaction.session = nil
    form.transaction.verification = nil
    return try proceed(form.transaction, user, form.request)
  }

  private func signUp(_ form: inout Submission) throws -> ServerResponse {
    var complaint = form.complaint(aboutEmpty: ["username", "email", "displayName", "newPassword", "reenterPassword"])
    if complaint == nil, form["username"].utf8.count > 128 {
      complaint = Page.Complaint(text: form.texts.userNameTooLong, fields: ["username"])
    }
    complaint = complaint ?? form.passwordComplaint
    if complaint == nil {
      do {
        let user = try directory.add(
          form["username"], password: form["newPassword"], email: form["email"].trimmingSpaces,
          displayName: form["displayName"].trimmingSpaces)
        return try recognized(&form, user)
      } catch let error as TenantError where error.code == "user_exists" {
        complaint = Page.Complaint(text: form.texts.userExists, fields: ["username", "email"])
      }
    }
    return form.transaction.signUpPage(values: form.fields, complaint: complaint).response()
  }

  // MARK: A forgotten password and the profile

  private func sendResetCode(_ form: inout Submission) throws -> ServerResponse {
    let name = form["logonIdentifier"].trimmingSpaces
    guard let user = try directory.find(name) else {
      let complaint = Page.Complaint(
        text: name.isEmpty ? form.texts.missingFields : form.texts.unknownUser,
        code: name.isEmpty ? nil : "AADB2C90053", fields: ["logonIdentifier"])
      return form.transaction.accountNamePage(username: name, complaint: complaint).response()
    }
    form.transaction.verification = send(.message(.mail, to: user.email), user)
    return try proceed(form.transaction, nil, form.request)
  }

  /// Changes the password and ends all sessions of the user, because someone may have known the old password.
  private func setPassword(_ form: inout Submission, _ user: User) throws -> ServerResponse {
    if let complaint = form.complaint(aboutEmpty: ["newPassword", "reenterPassword"]) ?? form.passwordComplaint {
      return form.transaction.newPasswordPage(complaint: complaint).response()
    }
    try directory.setPassword(form["newPassword"], of: user)
    sessions.removeAll { $0.userID == user.id }
    form.transaction.hasFinishedPage = true
    return try proceed(form.transaction, user, form.request)
  }

  private func edit(_ form: inout Submission, _ user: User) throws -> ServerResponse {
    var user = user
    user.displayName = form["displayName"].trimmingSpaces
    if let complaint = form.complaint(aboutEmpty: ["displayName"]) {
      return form.transaction.profilePage(displayName: user.displayName, complaint: complaint).response()
    }
    try directory.setDisplayName(user.displayName, of: user)
    form.transaction.hasFinishedPage = true
    return try proceed(form.transaction, user, form.request)
  }

  // MARK: Codes

  /// The method of the user's second factor: the app, the phone, or email if the user has neither.
  func secondFactor(of user: User) -> Verification.Method {
    user.otp == nil ? .message(.sms, to: user.phone ?? user.email) : .app
  }

  func send(_ method: Verification.Method, _ user: User) -> Verification {
    var verification = Verification(userID: user.id, method: method, expires: clock.elapsed + Verification.lifetime)
    if case .message(let kind, let address) = method {
      let code = OneTimeCode.random()
      verification.code = code
      postOffice.send(kind, to: address, username: user.username, code: code)
    }
    return verification
  }

  /// Checks the code, or sends a new one if the user asked for it.
  private func verify(_ form: inout Submission) throws -> ServerResponse {
    guard let verification = form.transaction.verification, let user = try directory.user(id: verification.userID)
    else { return lost(form.request) }
    if form.action == "resend" { return resend(&form, verification, user) }
    form.transaction.verification?.isRenewed = false
    let typed = OneTimeCode.cleaned(form["verificationCode"])
    guard !typed.isEmpty else { return again(form, form.texts.missingCode) }
    switch verification.method {
    case .app:
      if try directory.redeem(code: typed, of: user) { return try verified(&form, user) }
    case .message:
      guard clock.elapsed < verification.expires else { return again(form, form.texts.expiredCode) }
      if verification.code == typed { return try verified(&form, user) }
    }
    form.transaction.verification?.attempts += 1
    guard verification.attempts + 1 < Verification.attemptLimit else {
      // Without the lock, someone who knows the password could start over and try all codes.
      try directory.lock(user)
      return try end(form.transaction, ProtocolError(90114), form.request)
    }
    return again(form, form.texts.wrongCode)
  }

  /// Sends a new code. The count of wrong codes continues.
  private func resend(_ form: inout Submission, _ old: Verification, _ user: User) -> ServerResponse {
    if case .message = old.method {
      var new = send(old.method, user)
      new.attempts = old.attempts
      new.isRenewed = true
      form.transaction.verification = new
    }
    return again(form, nil)
  }

  private func again(_ form: Submission, _ text: String?) -> ServerResponse {
    transactions[form.transaction.id] = form.transaction
    let complaint = text.map { Page.Complaint(text: $0, fields: ["verificationCode"]) }
    return form.transaction.verificationPage(complaint: complaint).response()
  }

  private func verified(_ form: inout Submission, _ user: User) throws -> ServerResponse {
    // Without a user ID, the code was mailed to reset a forgotten password.
    guard form.transaction.userID != nil else { return try recognized(&form, user) }
    form.transaction.hasSecondFactor = true
    form.transaction.verification = nil
    return try proceed(form.transaction, user, form.request)
  }
}
