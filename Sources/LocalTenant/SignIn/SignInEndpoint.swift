import Crypto
import HTTPServer
import JSON
import TenantTexts

struct SignInEndpoint {
  let grants: GrantStore
  let directory: DirectoryStore
  let issuer: TokenIssuer
  let postOffice: PostOffice
  let isSecure: Bool
  let pushed: PushedRequests
  let transactions: ExpiringStore<SignInTransaction>
  /// The sessions, by the values of the cookies. They end when the tenant stops.
  let sessions: ExpiringStore<Session>

  var clock: TenantClock { issuer.clock }

  /// `GET …/authorize`, or `POST` with the parameters as a form (OpenID Connect Core §3.1.2.1).
  /// - Parameter fault: an error that is returned for every request, or what is wrong with the answer.
  func authorize(_ request: ServerRequest, _ address: PolicyAddress, fault: TenantFault?) throws -> ServerResponse {
    if let refusal = Page.refusal(of: request, unless: ["GET", "POST"]) { return refusal }
    var authorization: AuthorizationRequest
    do {
      authorization = try pushed.authorizationRequest(request, address, issuer: issuer.issuer(of: address))
    } catch { return Page.failure(Texts(request), error, error.description(clock, at: address)).response() }
    authorization.signedFault = fault?.jarm
    authorization.issuerFault = fault?.iss
    do {
      if let error = fault?.error ?? fault?.requestObject?.error { throw error }
      return try begin(authorization, try authorization.validate(issuer.behavior), request)
    } catch let error as ProtocolError { return try refuse(authorization, error, request) }
  }

  private func begin(
    _ authorization: AuthorizationRequest, _ scope: Scope, _ request: ServerRequest
  ) throws -> ServerResponse {
    let hint = try IDTokenHint.user(authorization, directory, issuer.keys, clock)
    let known = request.cookie(Cookies.browser).flatMap { $0.utf8.count == 43 ? $0 : nil }
    var transaction = SignInTransaction(
      id: SecureRandom.token(), request: authorization, scope: scope, details: try authorization.details(),
      browser: known ?? SecureRandom.token(),
      expires: clock.elapsed + SignInTransaction.lifetime)
    let user = try recognize(&transaction, hint: hint, request)
    if authorization.prompts.contains("none") {
      // Without pages the user cannot edit anything.
      transaction.hasFinishedPage = true
      guard let user, transaction.step(user) == .end else {
        throw ProtocolError(90077, error: hint == nil ? nil : "login_required")
      }
      return try finish(transaction, user, request)
    }
    transactions.add(transaction, as: transaction.id)
    let headers = known == nil ? [ServerResponse.cookie(Cookies.browser, transaction.browser, isSecure: isSecure)] : []
    return try proceed(
      transaction, user, request, headers: headers, username: authorization.loginHint ?? hint?.username)
  }

  /// The user of the browser's session, if the request allows that session.
  private func recognize(
    _ transaction: inout SignInTransaction, hint: User?, _ request: ServerRequest
  ) throws -> User? {
    let authorization = transaction.request
    let cookie = request.cookie(Cookies.session)
    guard let session = sessions.current(cookie), let user = try directory.user(id: session.userID),
      isAcceptable(session, user, authorization, hint: hint)
    else { return nil }
    if authorization.prompts.contains("select_account") {
      transaction.offeredSession = cookie
      return nil
    }
    transaction.userID = user.id
    transaction.session = cookie
    transaction.hasSecondFactor = session.hasSecondFactor
    return user
  }

  private func isAcceptable(
    _ session: Session, _ user: User, _ authorization: AuthorizationRequest, hint: User?
  ) -> Bool {
    // A user who signs up or has forgotten a password does not want the account of the current session.
    let isNew = [.signUp, .reset].contains(authorization.address.policy.kind)
    if authorization.prompts.contains("login") || isNew && !authorization.prompts.contains("none") { return false }
    // 0 is the same as prompt=login (OpenID Connect Core §3.1.2.1).
    if let age = authorization.maximumAge, age == 0 || clock.elapsed - session.opened > age { return false }
    if let hint, hint.id != user.id { return false }
    guard let hint = authorization.loginHint?.lowercased() else { return true }
    return hint == user.username.lowercased() || hint == user.email.lowercased()
  }

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
    transactions[transaction.id] = transaction
    let page: Page =
      switch step {
      case .accountChoice: transaction.accountChoicePage(try offeredUser(transaction)?.user)
      case .signIn, .end: transaction.signInPage(username: username ?? "")
      case .signUp: transaction.signUpPage()
      case .accountName: transaction.accountNamePage(username: username ?? "")
      case .mailCode, .secondFactor: transaction.verificationPage()
      case .newPassword: transaction.newPasswordPage()
      case .profile: transaction.profilePage(displayName: user?.displayName ?? "")
      case .consent: transaction.consentPage()
      }
    return page.response(headers: headers)
  }

  func offeredUser(_ transaction: SignInTransaction) throws -> (session: Session, user: User)? {
    guard let session = sessions.current(transaction.offeredSession) else { return nil }
    return try directory.user(id: session.userID).map { (session, $0) }
  }

  private func finish(
    _ transaction: SignInTransaction, _ user: User, _ request: ServerRequest, headers: [(String, String)] = []
  ) throws -> ServerResponse {
    transactions.remove(transaction.id)
    var headers = headers
    let cookie = transaction.session ?? SecureRandom.token()
    if transaction.session == nil {
      sessions.remove(request.cookie(Cookies.session))
      sessions.add(
        Session(userID: user.id, authTime: clock.now, opened: clock.elapsed, expires: clock.elapsed + Session.lifetime),
        as: cookie)
      headers.append(ServerResponse.cookie(Cookies.session, cookie, isSecure: isSecure))
    }
    let authorization = transaction.request
    sessions[cookie]?.hasSecondFactor = transaction.hasSecondFactor
    sessions[cookie]?.issuers[authorization.client.id] = authorization.issuer
    // The session may have ended while a page was shown.
    guard let session = sessions.current(cookie) else { return lost(request) }
    let isTold = try directory.frontChannelLogoutURI(of: authorization.client) != nil
    let event = SignInEvent(
      authTime: session.authTime, sid: isTold ? session.id : nil,
      acr: session.hasSecondFactor ? TokenIssuer.secondFactorClass : nil, opened: session.opened)
    pushed.end(authorization)
    return try AuthorizationAnswer.make(
      authorization, answer(authorization, transaction.scope, user, event), by: issuer,
      isBrowser: Self.isBrowser(request), headers: headers)
  }

  /// OAuth 2.0 Multiple Response Type Encoding Practices §3 and §5, OpenID Connect Core §3.2.2.5 and §3.3.2.5. Tokens
  /// issued later for the code belong to the same family as the token issued at once.
  private func answer(
    _ request: AuthorizationRequest, _ scope: Scope, _ user: User, _ event: SignInEvent
  ) throws -> [(String, String)] {
    var fields: [(String, String)] = []
    let family = GUID.random()
    let subject = TokenSubject(
      user: user, client: request.client, address: request.address, event: event, nonce: request.nonce, family: family)
    let resources = try RequestedResources(request.parameters.resources, scope, origin: request.address.origin)
    var code: String?
    if request.wantsCode {
      let grant = GrantStore.Grant(
        clientID: request.client.id, userID: user.id, policy: request.address.policyID, scope: scope.text,
        event: event, nonce: request.nonce, proofThumbprint: request.parameters["dpop_jkt"], resources: resources.uris,
        details: request.parameters["authorization_details"])
      let made = grants.makeCode(grant, family: family, redirectURI: request.redirectURI, challenge: request.challenge)
      fields.append(("code", made))
      code = made
    }
    var accessToken: String?
    let details = try request.details()
    if request.wantsAccessToken, let audience = resources.audience ?? scope.audience(details) {
      let token = try issuer.accessToken(
        subject, audience: audience, permissions: scope.permissions, details: details?.json)
      fields += [
        ("access_token", token), ("token_type", "Bearer"), ("expires_in", String(issuer.behavior.accessTokenLifetime)),
        ("scope", scope.text),
      ]
      accessToken = token
    }
    if request.wantsIDToken {
      fields.append(("id_token", try issuer.idToken(subject, accessToken: accessToken, code: code)))
    }
    if request.parameters["client_info"] == "1" {
      fields.append(("client_info", AccountInfo.client(user, request.address)))
    }
    return fields
  }

  /// Ends the sign-in with an error.
  func end(_ transaction: SignInTransaction, _ error: ProtocolError, _ request: ServerRequest) throws -> ServerResponse
  {
    transactions.remove(transaction.id)
    return try refuse(transaction.request, error, request)
  }

  private func refuse(
    _ authorization: AuthorizationRequest, _ error: ProtocolError, _ request: ServerRequest
  ) throws -> ServerResponse {
    try AuthorizationAnswer.make(
      authorization,
      [("error", error.error), ("error_description", error.description(clock, at: authorization.address))],
      by: issuer, isBrowser: Self.isBrowser(request))
  }

  /// The response to a form that is old, was sent before, or comes from another browser.
  func lost(_ request: ServerRequest) -> ServerResponse {
    let texts = Texts(request)
    return Page.notice(texts, \.isOver, texts.signInIsLost, status: 400).response()
  }

  /// Returns true if a browser made the request. Browsers send the purpose of a page request; programs do not.
  static func isBrowser(_ request: ServerRequest) -> Bool { request.header("Sec-Fetch-Dest") == "document" }
}
