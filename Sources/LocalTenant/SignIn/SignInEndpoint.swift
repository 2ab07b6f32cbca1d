import HTTPServer
import JOSE

/// The authorization endpoint and its pages.
final class SignInEndpoint {
  let grants: GrantStore
  let directory: DirectoryStore
  let issuer: TokenIssuer
  let clock: TenantClock
  let isSecure: Bool
  var state = SignInState()

  init(
    grants: GrantStore, directory: DirectoryStore, issuer: TokenIssuer, clock: TenantClock, isSecure: Bool
  ) {
    self.grants = grants
    self.directory = directory
    self.issuer = issuer
    self.clock = clock
    self.isSecure = isSecure
  }

  /// `GET …/authorize`, or `POST` with the parameters as a form (OpenID Connect Core §3.1.2.1).
  /// - Parameter fault: an error to answer with, whatever is asked.
  func authorize(
    _ request: ServerRequest, _ address: PolicyAddress, fault: ProtocolError? = nil
  ) throws -> ServerResponse {
    guard ["GET", "HEAD", "POST"].contains(request.method) else { return methodNotAllowed("GET, POST") }
    let authorization: AuthorizationRequest
    do {
      authorization = try AuthorizationRequest(request, address, issuer: issuer.issuer(of: address))
    } catch {
      return Page.failure(error, clock: clock).response()
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
    let cookie = Cookies.value(Cookies.session, in: request)
    let session = state.session(cookie, elapsed: clock.elapsed)
    if let session, let user = try directory.user(id: session.userID), isEnough(session, user, authorization) {
      return try grant(authorization, scope, user, authTime: session.authTime, request)
    }
    if authorization.prompts.contains("none") {
      throw ProtocolError(
        "interaction_required", "90077",
        "User does not have an existing session and request prompt parameter has a value of 'None'.")
    }
    let known = Cookies.value(Cookies.browser, in: request).flatMap { $0.utf8.count == 43 ? $0 : nil }
    let browser = known ?? SecureRandom.token()
    let transaction = state.begin(authorization, scope, browser: browser, elapsed: clock.elapsed)
    let headers = known == nil ? [Cookies.set(Cookies.browser, browser, isSecure: isSecure)] : []
    return Page.signIn(transaction, username: authorization.loginHint ?? "").response(headers: headers)
  }

  /// Whether the session answers the request without a page.
  private func isEnough(
    _ session: SignInState.Session, _ user: User, _ authorization: AuthorizationRequest
  ) -> Bool {
    if !authorization.prompts.allSatisfy({ $0 == "none" }) { return false }
    if let age = authorization.maximumAge, clock.elapsed - session.opened > age { return false }
    guard let hint = authorization.loginHint?.lowercased() else { return true }
    return hint == user.username.lowercased() || hint == user.email.lowercased()
  }

  /// Answers the authorization request with what it asks for.
  func grant(
    _ authorization: AuthorizationRequest, _ scope: Scope, _ user: User, authTime: Int, _ request: ServerRequest,
    headers: [(String, String)] = []
  ) throws -> ServerResponse {
    let fields = try AuthorizationGrant(grants: grants, issuer: issuer).fields(
      authorization, scope, user, authTime: authTime)
    return AuthorizationAnswer.make(authorization, fields, isBrowser: Self.isBrowser(request), headers: headers)
  }

  func refuse(
    _ authorization: AuthorizationRequest, _ error: ProtocolError, _ request: ServerRequest
  ) -> ServerResponse {
    AuthorizationAnswer.make(
      authorization, [("error", error.error), ("error_description", error.description(clock))],
      isBrowser: Self.isBrowser(request))
  }

  func methodNotAllowed(_ allowed: String) -> ServerResponse {
    Page.notice("Not like this", "This address takes \(allowed).", status: 405).response(headers: [("Allow", allowed)])
  }

  /// Browsers say what they fetch a page for; programs do not.
  private static func isBrowser(_ request: ServerRequest) -> Bool {
    request.header("Sec-Fetch-Dest") == "document"
  }
}
