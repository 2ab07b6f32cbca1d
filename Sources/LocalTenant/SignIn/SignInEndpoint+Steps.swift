import HTTPServer

extension SignInEndpoint {
  /// Shows the page of the next step, or sends the answer.
  /// - Parameters:
  ///   - user: the user who has been recognized.
  ///   - username: the initial text of the field for the user name.
  func proceed(
    _ transaction: SignInTransaction, _ user: User?, _ request: ServerRequest, headers: [(String, String)] = [],
    username: String? = nil
  ) throws -> ServerResponse {
    var transaction = transaction
    let step = transaction.step(user)
    if step == .end, let user { return try finish(transaction, user, request, headers: headers) }
    if step == .secondFactor, let user, transaction.verification == nil {
      transaction.verification = send(secondFactor(of: user), user)
    }
    state.update(transaction)
    return try page(step, transaction, username: username ?? "").response(headers: headers)
  }

  private func page(_ step: SignInStep, _ transaction: SignInTransaction, username: String) throws -> Page {
    switch step {
    case .accountChoice: Page.accountChoice(transaction, try offeredUser(transaction))
    case .signIn, .end: Page.signIn(transaction, username: username)
    case .signUp: Page.signUp(transaction)
    case .accountName: Page.accountName(transaction, username: username)
    case .mailCode, .secondFactor: Page.verification(transaction)
    case .newPassword: Page.newPassword(transaction)
    case .profile: Page.profile(transaction, displayName: try user(transaction)?.displayName ?? "")
    case .consent: Page.consent(transaction)
    }
  }

  /// The user of the transaction; nil if the user is not known yet or has been removed.
  func user(_ transaction: SignInTransaction) throws -> User? {
    try transaction.userID.flatMap { try directory.user(id: $0) }
  }

  func offeredUser(_ transaction: SignInTransaction) throws -> User? {
    guard let session = state.session(transaction.offeredSession, elapsed: clock.elapsed) else { return nil }
    return try directory.user(id: session.userID)
  }

  /// Opens a session, or continues the current one, and answers the authorization request.
  func finish(
    _ transaction: SignInTransaction, _ user: User, _ request: ServerRequest, headers: [(String, String)] = []
  ) throws -> ServerResponse {
    state.end(transaction)
    var headers = headers
    let cookie: String
    if let known = transaction.session {
      cookie = known
    } else {
      state.close(Cookies.value(Cookies.session, in: request))
      cookie = state.open(userID: user.id, authTime: clock.now, elapsed: clock.elapsed)
      headers.append(Cookies.set(Cookies.session, cookie, isSecure: isSecure))
    }
    let authorization = transaction.request
    state.change(cookie) {
      $0.hasSecondFactor = transaction.hasSecondFactor
      $0.issuers[authorization.client.id] = authorization.issuer
    }
    // The session may have ended while a page was shown.
    guard let session = state.session(cookie, elapsed: clock.elapsed) else { return lost(request) }
    let isTold = try directory.frontChannelLogoutURI(of: authorization.client) != nil
    let fields = try AuthorizationGrant(grants: grants, issuer: issuer).fields(
      authorization, transaction.scope, user,
      SignInEvent(
        authTime: session.authTime, sid: isTold ? session.id : nil,
        acr: session.hasSecondFactor ? TokenIssuer.secondFactorClass : nil))
    return AuthorizationAnswer.make(authorization, fields, isBrowser: Self.isBrowser(request), headers: headers)
  }

  func end(_ transaction: SignInTransaction, _ error: ProtocolError, _ request: ServerRequest) -> ServerResponse {
    state.end(transaction)
    return refuse(transaction.request, error, request)
  }

  /// The response to a form that is old, was sent before, or comes from another browser.
  func lost(_ request: ServerRequest) -> ServerResponse {
    let texts = Texts(request)
    return Page.notice(texts, \.isOver, texts.signInIsLost, status: 400).response()
  }
}
