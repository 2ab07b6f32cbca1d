import HTTPServer
import JOSE
import JSON

/// The authorization endpoint and its pages.
final class SignInEndpoint {
  let grants: GrantStore
  let directory: DirectoryStore
  let issuer: TokenIssuer
  let postOffice: PostOffice
  let clock: TenantClock
  let isSecure: Bool
  var state = SignInState()

  init(
    grants: GrantStore, directory: DirectoryStore, issuer: TokenIssuer, postOffice: PostOffice, clock: TenantClock,
    isSecure: Bool
  ) {
    self.grants = grants
    self.directory = directory
    self.issuer = issuer
    self.postOffice = postOffice
    self.clock = clock
    self.isSecure = isSecure
  }

  /// `GET …/authorize`, or `POST` with the parameters as a form (OpenID Connect Core §3.1.2.1).
  /// - Parameter fault: an error that is returned for every request.
  func authorize(
    _ request: ServerRequest, _ address: PolicyAddress, fault: ProtocolError? = nil
  ) throws -> ServerResponse {
    guard ["GET", "HEAD", "POST"].contains(request.method) else { return methodNotAllowed(request, "GET, POST") }
    let authorization: AuthorizationRequest
    do {
      authorization = try AuthorizationRequest(request, address, issuer: issuer.issuer(of: address))
    } catch {
      return Page.failure(Texts(request), error, clock: clock).response()
    }
    do {
      if let fault { throw fault }
      return try proceed(authorization, try authorization.validate(issuer.behavior), request)
    } catch let error as ProtocolError {
      return refuse(authorization, error, request)
    }
  }

  private func proceed(
    _ authorization: AuthorizationRequest, _ scope: Scope, _ request: ServerRequest
  ) throws -> ServerResponse {
    let hint = try IDTokenHint.user(authorization, directory, issuer.keys, clock)
    let known = Cookies.value(Cookies.browser, in: request).flatMap { $0.utf8.count == 43 ? $0 : nil }
    let browser = known ?? SecureRandom.token()
    var transaction = state.begin(elapsed: clock.elapsed) { id, expires in
      SignInTransaction(id: id, request: authorization, scope: scope, browser: browser, expires: expires)
    }
    let user = try recognize(&transaction, hint: hint, request)
    if authorization.prompts.contains("none") {
      state.end(transaction)
      // Without pages the user cannot edit anything.
      transaction.hasFinishedPage = true
      guard let user, transaction.step(user) == .end else {
        throw ProtocolError(
          hint == nil ? "interaction_required" : "login_required", "90077",
          "User does not have an existing session and request prompt parameter has a value of 'None'.")
      }
      return try finish(transaction, user, request)
    }
    let headers = known == nil ? [Cookies.set(Cookies.browser, browser, isSecure: isSecure)] : []
    return try proceed(
      transaction, user, request, headers: headers, username: authorization.loginHint ?? hint?.username)
  }

  /// The user of the browser's session, if the request allows that session.
  private func recognize(
    _ transaction: inout SignInTransaction, hint: User?, _ request: ServerRequest
  ) throws -> User? {
    let authorization = transaction.request
    let cookie = Cookies.value(Cookies.session, in: request)
    guard let cookie, let session = state.session(cookie, elapsed: clock.elapsed),
      let user = try directory.user(id: session.userID), isAcceptable(session, user, authorization, hint: hint)
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
    if let age = authorization.maximumAge, clock.elapsed - session.opened > age { return false }
    if let hint, hint.id != user.id { return false }
    guard let hint = authorization.loginHint?.lowercased() else { return true }
    return hint == user.username.lowercased() || hint == user.email.lowercased()
  }

  func refuse(
    _ authorization: AuthorizationRequest, _ error: ProtocolError, _ request: ServerRequest
  ) -> ServerResponse {
    AuthorizationAnswer.make(
      authorization, [("error", error.error), ("error_description", error.description(clock))],
      isBrowser: Self.isBrowser(request))
  }

  func methodNotAllowed(_ request: ServerRequest, _ allowed: String) -> ServerResponse {
    Page.wrongMethod(Texts(request), allowed: allowed).response(headers: [("Allow", allowed)])
  }

  /// Returns true if a browser made the request. Browsers send the purpose of a page request; programs do not.
  static func isBrowser(_ request: ServerRequest) -> Bool {
    request.header("Sec-Fetch-Dest") == "document"
  }
}
