import Core
import Crypto
import HTTPClient
import HTTPServer
package import HostLoop
import JSON
import Jobs
package import OAuth
import Pages
import Settings

/// The sign-in at the pages, by the authorization code flow with PKCE (OpenID Connect Core, 3.1; RFC 7636), and the access
/// tokens of programs (RFC 6750).
@HostActor
package final class PageSignIn {
  /// The result of a look at a request.
  enum Admission {
    case admitted(Visitor)
    case answered(ServerResponse)
  }

  private let provider: Provider
  private let subjects: Set<String>
  private let redirectURI: String
  private let redirectPath: String
  private let origin: Origin
  private let key = SecureRandom.bytes(32)
  private var visitors = Visitors()
  private let onMessage: @HostActor (String) -> Void

  /// - Parameters:
  ///   - client: its settings name the application of the pages. The redirect URI is an address of the pages.
  ///   - subjects: the subjects (`sub`) of the people and programs that may use the pages.
  ///   - onMessage: gets what the person who runs the server should know.
  /// - Throws: `bad_sign_in`, `SettingsError`
  package init(
    _ provider: Provider, subjects: [String], onMessage: @escaping @HostActor (String) -> Void
  ) throws {
    redirectURI = try provider.settings.redirectURL
    _ = try provider.settings.clientID
    guard let origin = Origin(redirectURI), origin.scheme == "https" || origin.isLoopback else {
      throw JobError(
        "bad_sign_in", "expected a redirect URI that begins with https, got '\(redirectURI)'",
        hint: "set redirectURL to the address of the pages, such as https://jobs.example.com/signed-in")
    }
    self.origin = origin
    let path = ServerRequest(method: "GET", target: Self.target(of: redirectURI)).path
    guard !redirectURI.contains("?"), !["", "/", "/sign-in", "/sign-out"].contains(path) else {
      throw JobError(
        "bad_sign_in", "the redirect URI '\(redirectURI)' has no path",
        hint: "use a path such as \(origin.scheme)://\(origin.authority)/signed-in, and register it at the provider")
    }
    redirectPath = path
    guard !subjects.isEmpty else {
      throw JobError(
        "bad_sign_in", "nobody may sign in",
        hint: "add --allow-subject SUBJECT; the server writes the subject of each sign-in that it refuses")
    }
    self.provider = provider
    self.subjects = Set(subjects)
    self.onMessage = onMessage
  }

  /// True if browsers reach the pages by https.
  package var isSecure: Bool { origin.scheme == "https" }

  /// The first page.
  package var address: String { "\(origin.scheme)://\(origin.authority)/" }

  /// True for the name and port of the pages. Another site's name could lead to this address (DNS rebinding).
  func isOwnHost(_ host: String) -> Bool { Origin("\(origin.scheme)://\(host)") == origin }

  /// Sends those away who have not signed in.
  func admit(_ request: ServerRequest) async -> Admission {
    if ["GET", "HEAD"].contains(request.method) {
      if request.path == redirectPath { return .answered(await end(request)) }
      if request.path == "/sign-in" { return .answered(await start(request)) }
    }
    if let visitor = visitors.visitor(request.cookie(sessionCookie)) { return .admitted(visitor) }
    if let token = Self.bearerToken(request) { return await admit(token) }
    guard request.method == "GET", !Self.isForProgram(request),
      request.header("Sec-Fetch-Dest").map({ $0 == "document" }) ?? true
    else { return .answered(Self.refusal("Sign in first.")) }
    let fields = URLEncodedForm.encode([("to", request.target)])
    return .answered(ServerResponse(status: 303, headers: Self.headers + [("Location", "/sign-in?\(fields)")]))
  }

  /// Ends the session of a visitor.
  func signOut(_ visitor: Visitor) async -> ServerResponse {
    visitors.remove(visitor)
    let there = try? await EndSessionEndpoint(provider).url()
    let link = there.map { HTML(.p, HTML(.a, with: ["href": $0], "Sign out at the provider, too")) }
    return page("Signed out", link, headers: [ServerResponse.cookie(sessionCookie, nil, isSecure: isSecure)])
  }

  // MARK: The flow

  private func start(_ request: ServerRequest) async -> ServerResponse {
    let target = request.query.first { $0.0 == "to" }?.1 ?? "/"
    let start = SignInStart(to: target, key, now: now)
    var ask = AuthorizationRequest()
    ask.state = start.state
    ask.nonce = start.nonce
    ask.pkce = start.pkce
    ask.scopes = ["openid", "profile"]
    do {
      let url = try await AuthorizationEndpoint(provider).url(ask)
      return ServerResponse(
        status: 303,
        headers: Self.headers + [
          ("Location", url), ServerResponse.cookie(startCookie, start.cookie, isSecure: isSecure),
        ])
    } catch { return failed(error) }
  }

  private func end(_ request: ServerRequest) async -> ServerResponse {
    guard let start = SignInStart(cookie: request.cookie(startCookie), key, now: now) else {
      return page(
        "The sign-in took too long", HTML(.p, "It began in another browser, or too long ago."), status: 400)
    }
    do {
      let address = "\(origin.scheme)://\(origin.authority)\(request.target)"
      let answer = try await AuthorizationEndpoint(provider).readRedirect(
        address, expectedRedirectURI: redirectURI, state: start.state)
      guard let code = answer.parameters["code"] else {
        throw OAuthError("malformed_redirect", .authorize, "the redirect has no code")
      }
      let tokens = try await TokenEndpoint(provider).token(
        TokenRequest(
          grantType: "authorization_code",
          parameters: ["code": code, "redirect_uri": redirectURI, "code_verifier": start.pkce.verifier]))
      let claims = try await IDTokenValidator(provider).claims(of: tokens, policy: nil, nonce: start.nonce, maxAge: nil)
      let subject = claims["sub"]?.string ?? ""
      guard subjects.contains(subject) else { return refused(subject) }
      let cookie = visitors.add(claims["name"]?.string ?? claims["preferred_username"]?.string ?? subject)
      onMessage("\(subject) has signed in at the pages")
      return ServerResponse(
        status: 303,
        headers: Self.headers + [
          ("Location", start.target), ServerResponse.cookie(sessionCookie, cookie, isSecure: isSecure),
          ServerResponse.cookie(startCookie, nil, isSecure: isSecure),
        ])
    } catch { return failed(error) }
  }

  private func refused(_ subject: String) -> ServerResponse {
    onMessage("\(subject) may not use the pages; --allow-subject \(subject) would allow it")
    return page(
      "You may not use these pages",
      HTML(.p, "Your subject is ", HTML(.code, subject), ". Ask who runs this server."), status: 403)
  }

  private func failed(_ error: any Error) -> ServerResponse {
    onMessage("a sign-in at the pages failed: \(error)")
    let text = (error as? OAuthError)?.message ?? "\(error)"
    return page("The sign-in did not succeed", HTML(.p, text), status: 400)
  }

  // MARK: Access tokens

  private func admit(_ token: String) async -> Admission {
    do throws(TokenAdmission.Refusal) {
      return .admitted(Visitor(name: try await TokenAdmission(provider, subjects: subjects).subject(of: token)))
    } catch {
      let text = error == .invalid ? "The access token is not valid." : "This token may not use the API."
      return .answered(Self.refusal(text, error: "invalid_token"))
    }
  }

  private static func bearerToken(_ request: ServerRequest) -> String? {
    guard isForProgram(request), let value = request.header("Authorization"),
      value.lowercased().hasPrefix("bearer ")
    else { return nil }
    return String(value.dropFirst(7))
  }

  private static func isForProgram(_ request: ServerRequest) -> Bool {
    request.path == "/metrics" || request.path.hasPrefix("/api/")
  }

  // MARK: Answers

  /// A cookie with this prefix comes from this host alone, and by https (RFC 6265bis, 4.1.3.2).
  private var prefix: String { isSecure ? "__Host-" : "" }
  private var sessionCookie: String { "\(prefix)b2c-run" }
  private var startCookie: String { "\(prefix)b2c-run-sign-in" }
  private var now: Int64 { Int64(UnixTime.now.seconds) }

  private static let headers = [("Cache-Control", "no-store"), ("Referrer-Policy", "no-referrer")]

  private static func refusal(_ text: String, error: String? = nil) -> ServerResponse {
    let detail = error.map { " error=\"\($0)\"" } ?? ""
    return ServerResponse(
      status: 401, headers: headers + [("WWW-Authenticate", "Bearer\(detail)")],
      text: JSON.object(["error": ["message": .string(text)]]).encoded() + "\n", type: "application/json")
  }

  private func page(
    _ title: String, _ text: HTML?, status: Int = 200, headers: [(String, String)] = []
  ) -> ServerResponse {
    let again = HTML(.p, HTML(.a, with: ["href": "/"], "Sign in again"))
    return DashboardPage(title, menu: .list(), HTML(.h1, title), text, again).response(status, headers)
  }

  private static func target(of url: String) -> String {
    let rest = url.drop { $0 != ":" }.dropFirst(3)
    return String(rest.drop { $0 != "/" })
  }
}
