import HTTPServer

extension SignInEndpoint {
  /// Shows a page of a sign-in or handles its form. If the sign-in is at another step, the response is the page of that
  /// step.
  func page(_ endpoint: Route.PolicyEndpoint, _ request: ServerRequest) throws -> ServerResponse {
    guard ["GET", "HEAD", "POST"].contains(request.method) else { return methodNotAllowed(request, "GET, POST") }
    let form = Dictionary(request.query + request.form) { _, last in last }
    let browser = Cookies.value(Cookies.browser, in: request)
    guard let transaction = form["tx"].flatMap({ state.transaction($0, browser: browser, elapsed: clock.elapsed) })
    else { return lost(request) }
    let user = try user(transaction)
    // The user was removed in the meantime.
    if transaction.userID != nil, user == nil { return lost(request) }
    let step = transaction.step(user)
    guard request.method == "POST" else { return try link(endpoint, step, transaction, user, request) }
    if form["action"] == "cancel" {
      return end(
        transaction,
        ProtocolError("access_denied", "90091", "The user has cancelled entering self-asserted information."), request)
    }
    switch (endpoint, step, user) {
    case (.login, .accountChoice, _): return try chooseAccount(transaction, form, request)
    case (.login, .signIn, _): return try signIn(transaction, form, request)
    case (.signUp, .signIn, _) where transaction.allowsSignUp, (.signUp, .signUp, _):
      return try signUp(transaction, form, request)
    case (.reset, .accountName, _): return try sendResetCode(transaction, form, request)
    case (.reset, .mailCode, _): return try verify(transaction, form, request)
    case (.verify, .secondFactor, _): return try verify(transaction, form, request)
    case (.reset, .newPassword, let user?): return try setPassword(transaction, user, form, request)
    case (.edit, .profile, let user?): return try edit(transaction, user, form, request)
    case (.consent, .consent, let user?):
      var transaction = transaction
      transaction.hasConsented = true
      return try proceed(transaction, user, request)
    default: return try proceed(transaction, user, request)
    }
  }

  /// Handles the links from the sign-in page to other pages.
  private func link(
    _ endpoint: Route.PolicyEndpoint, _ step: SignInStep, _ transaction: SignInTransaction, _ user: User?,
    _ request: ServerRequest
  ) throws -> ServerResponse {
    switch (endpoint, step) {
    case (.signUp, .signIn) where transaction.allowsSignUp: return Page.signUp(transaction).response()
    case (.reset, .signIn):
      return end(
        transaction, ProtocolError("access_denied", "90118", "The user has forgotten their password."), request)
    default: return try proceed(transaction, user, request)
    }
  }

  private func signIn(
    _ transaction: SignInTransaction, _ form: [String: String], _ request: ServerRequest
  ) throws -> ServerResponse {
    let username = form["logonIdentifier"] ?? ""
    let texts = transaction.texts
    let complaint: Page.Complaint
    let missing = ["logonIdentifier", "password"].filter { (form[$0] ?? "").trimmingSpaces.isEmpty }
    if !missing.isEmpty {
      complaint = Page.Complaint(
        text: texts.missingCredentials, code: nil, fields: missing, note: texts.emptyField)
    } else {
      switch try directory.authenticate(username, password: form["password"] ?? "") {
      case .success(let user): return try recognized(transaction, user, request)
      case .wrongCredentials:
        complaint = Page.Complaint(text: texts.wrongCredentials, code: "AADB2C90225", fields: ["password"])
      case .locked: complaint = Page.Complaint(text: texts.locked, code: "AADB2C90114", fields: ["password"])
      }
    }
    return Page.signIn(transaction, username: username, complaint: complaint).response()
  }

  private func chooseAccount(
    _ transaction: SignInTransaction, _ form: [String: String], _ request: ServerRequest
  ) throws -> ServerResponse {
    var transaction = transaction
    let user = try offeredUser(transaction)
    if form["action"] == "continue", let user,
      let session = state.session(transaction.offeredSession, elapsed: clock.elapsed)
    {
      transaction.userID = user.id
      transaction.session = transaction.offeredSession
      transaction.hasSecondFactor = session.hasSecondFactor
      return try proceed(transaction, user, request)
    }
    transaction.offeredSession = nil
    return try proceed(transaction, nil, request)
  }

  /// Continues after the user has been authenticated.
  func recognized(
    _ transaction: SignInTransaction, _ user: User, _ request: ServerRequest
  ) throws -> ServerResponse {
    var transaction = transaction
    transaction.userID = user.id
    transaction.session = nil
    transaction.verification = nil
    return try proceed(transaction, user, request)
  }
}
