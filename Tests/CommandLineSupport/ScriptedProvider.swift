import Crypto
import Foundation
package import HTTPServer
import JOSE
package import JSON
import Synchronization

/// An identity provider and task API on loopback, right in everything but one flaw.
package final class ScriptedProvider: Sendable {
  package enum Flaw: Sendable, Equatable {
    case none
    // In the redirect.
    case wrongState, noState, noCode, refusal
    // In the ID token.
    case wrongNonce, noNonce, wrongAudience, wrongIssuer, foreignKey, unknownKey, unsigned, expired, notYet, noIDToken,
      noToken
    // In other responses of the provider.
    case metadataIssuer, metadataNotJSON, metadataMissing, insecureToken, tokenNotJSON, tokenRefusal,
      tokenErrorWith200, tokenTruncated, tokenHuge, tokenCutOff, tokenDown, metadataHuge, keysNotJSON, pageNotHTML
    /// The token endpoint repeats the request.
    case echo(Echo)
  }

  /// The spelling of the repeated value, and the kind of the response.
  package enum Echo: String, CaseIterable, Sendable {
    case raw, percent, lowercasePercent, form, jsonASCII, html, base64, base64URL, basicInHTML, basicInJSON, text
  }

  /// The values that the provider received and issued.
  package struct Exchange: Sendable {
    package var state = ""
    package var nonce = ""
    package var verifier = ""
    package var refreshes = 0
  }

  package static let password = "Looking+Glass 8/9"
  package static let code = "code-of-this-sign-in.4711"
  package static let accessToken = "access-token-of-alice"
  package static let refreshToken = "refresh-token-of-alice"
  /// Made once: keys are slow to make.
  private static let key = try? JWK.generateRSA(keyID: "key-1")
  private static let otherKey = try? JWK.generateRSA(keyID: "key-1")

  package let flaw: Flaw
  private let clockAhead: Double
  private let silentStatus: Int
  private let pageStatus: Int
  private let moreMetadata: [String: JSON]
  private let seen = Mutex(Exchange())
  private let server = Mutex<HTTPServer?>(nil)

  /// - Parameters:
  ///   - clockAhead: seconds by which its clock is ahead of this machine's.
  ///   - silentStatus: of the answer to a sign-in with prompt=none; below 400 it is the page.
  ///   - pageStatus: of the answer to any other sign-in.
  ///   - metadata: members of the metadata besides the usual ones, or in place of them.
  package init(
    _ flaw: Flaw = .none, tls: TLSIdentity? = nil, clockAhead: Double = 0, silentStatus: Int = 200,
    pageStatus: Int = 200, metadata: [String: JSON] = [:]
  ) throws {
    moreMetadata = metadata
    self.silentStatus = silentStatus
    self.pageStatus = pageStatus
    self.flaw = flaw
    self.clockAhead = clockAhead
    let server = try HTTPServer(tls: tls) { [weak self] in self?.dated($0) ?? ServerResponse(status: 500) }
    self.server.withLock { $0 = server }
  }

  deinit { server.withLock { $0?.stop() } }

  package var exchange: Exchange { seen.withLock { $0 } }
  package var authority: String { server.withLock { "127.0.0.1:\($0?.port ?? 0)" } }
  package var url: String { server.withLock { "\($0?.isSecure == true ? "https" : "http")://" } + authority }
  package var issuer: String { "\(url)/contoso" }

  /// A `settings.plist` that points here.
  package var settings: String {
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <plist version="1.0">
    <dict>
      <key>clientID</key> <string>app</string>
      <key>authority</key> <string>\(issuer)</string>
      <key>bhh</key> <string>http://127.0.0.1:9/signed-in</string>
      <key>taskAPI</key> <string>\(url)</string>
    </dict>
    </plist>

    """
  }

  private func dated(_ request: ServerRequest) -> ServerResponse {
    var response = answer(request)
    guard clockAhead != 0 else { return response }
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = .gmt
    formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    response.headers.append(("Date", formatter.string(from: Date(timeIntervalSinceNow: clockAhead))))
    return response
  }

  private func answer(_ request: ServerRequest) -> ServerResponse {
    switch request.path {
    case "/contoso/.well-known/openid-configuration": metadata
    case "/keys" where flaw == .keysNotJSON: ServerResponse(text: "<html>Welcome!</html>", type: "text/html")
    case "/authorize" where flaw == .pageNotHTML: ServerResponse(text: "Hello!", type: "text/plain")
    case "/keys": json(["keys": .array([(try? Self.key?.publicKey.json) ?? .null])])
    case "/authorize": signInPage(request)
    case "/sign-in": redirect(request)
    case "/token": token(request)
    // An API that leaks data: it repeats the request.
    case "/api/tasks":
      ServerResponse(
        status: 500, text: "cannot serve \(request.header("Authorization") ?? "nobody")", type: "text/plain")
    default: ServerResponse(status: 404, text: "no such page", type: "text/plain")
    }
  }

  private var metadata: ServerResponse {
    switch flaw {
    case .metadataMissing: return ServerResponse(status: 404, text: "no such page", type: "text/plain")
    case .metadataHuge: return json(["issuer": .string(String(repeating: "x", count: 2 << 20))])
    case .metadataNotJSON: return ServerResponse(text: "<html>Welcome!</html>", type: "text/html")
    default:
      let usual: [String: JSON] = [
        "issuer": .string(flaw == .metadataIssuer ? "https://evil.example" : issuer),
        "authorization_endpoint": .string("\(url)/authorize"),
        "token_endpoint": .string(flaw == .insecureToken ? "http://evil.example/token" : "\(url)/token"),
        "jwks_uri": .string("\(url)/keys"), "response_types_supported": ["code"],
        "subject_types_supported": ["public"], "id_token_signing_alg_values_supported": ["RS256"],
        "token_endpoint_auth_methods_supported": [sendsSecretInForm ? "client_secret_post" : "client_secret_basic"],
      ]
      return json(.object(usual.merging(moreMetadata) { $1 }))
    }
  }

  private func signInPage(_ request: ServerRequest) -> ServerResponse {
    let query = Dictionary(request.query, uniquingKeysWith: { first, _ in first })
    let status = query["prompt"] == "none" ? silentStatus : pageStatus
    guard status < 400 else {
      return ServerResponse(status: status, text: "<title>Error</title><p>No.</p>", type: "text/html")
    }
    seen.withLock {
      $0.state = query["state"] ?? ""
      $0.nonce = query["nonce"] ?? ""
    }
    return ServerResponse(
      text: """
        <title>Sign in</title><form method="post" action="/sign-in"><input name="username">
        <input type="password" name="password"><button>Sign in</button></form>
        """, type: "text/html; charset=utf-8")
  }

  private func redirect(_ request: ServerRequest) -> ServerResponse {
    let password = request.form.first { $0.0 == "password" }?.1 ?? ""
    guard password == Self.password else {
      return ServerResponse(
        text: """
          <title>Sign in</title><p role="alert">"\(password)" is not the password.</p><form method="post" action="/sign-in">
          <input name="username"><input type="password" name="password"><button>Sign in</button></form>
          """, type: "text/html; charset=utf-8")
    }
    let state = flaw == .wrongState ? "state=forged" : flaw == .noState ? "x=y" : "state=\(exchange.state)"
    let result =
      switch flaw {
      case .noCode: "hello=world"
      case .refusal:
        "error=access_denied&error_description=AADB2C90118%3A%20The%20user%20has%20forgotten%20their%20password.%0D%0ACorrelation%20ID%3A%20c-1%0D%0ATimestamp%3A%202026-01-02%2003%3A04%3A05Z"
      default: "code=\(Self.code)"
      }
    return ServerResponse(status: 302, headers: [("Location", "http://127.0.0.1:9/signed-in?\(result)&\(state)")])
  }

  private func token(_ request: ServerRequest) -> ServerResponse {
    let form = Dictionary(request.form, uniquingKeysWith: { first, _ in first })
    if let token = form["refresh_token"], !isEchoing {
      seen.withLock { $0.refreshes += 1 }
      return json(
        ["error": "invalid_grant", "error_description": .string("the token \(token) was revoked")], status: 400)
    }
    let verifier = form["code_verifier"] ?? ""
    if !verifier.isEmpty { seen.withLock { $0.verifier = verifier } }
    switch flaw {
    case .tokenNotJSON: return ServerResponse(text: "<html>Welcome!</html>", type: "text/html")
    case .tokenRefusal:
      let reason = "the code \(form["code"] ?? "") does not go with \(verifier)"
      return json(["error": "invalid_grant", "error_description": .string(reason)], status: 400)
    case .tokenErrorWith200: return json(["error": "server_error", "error_description": "no luck today"])
    case .tokenTruncated:
      return ServerResponse(text: #"{"access_token":"\#(Self.accessToken)"#, type: "application/json")
    case .tokenHuge: return json(["access_token": .string(String(repeating: "x", count: 5 << 20))])
    case .tokenCutOff:
      var response = json(["access_token": .string(Self.accessToken)])
      response.drop = .midResponse
      return response
    case .tokenDown:
      return ServerResponse(status: 503, text: "<title>Down</title><h1>Back at noon</h1>", type: "text/html")
    case .echo(let echo): return repeated(request, echo)
    default: break
    }
    var members: [String: JSON] = [
      "token_type": "Bearer", "expires_in": 3600, "refresh_token": .string(Self.refreshToken),
      "scope": "openid app offline_access",
    ]
    members["access_token"] = .string(Self.accessToken)
    if flaw != .noIDToken { members["id_token"] = .string((try? idToken()) ?? "") }
    return json(.object(members))
  }

  private func idToken() throws -> String {
    let now = Int64(Date().timeIntervalSince1970)
    var claims: [String: JSON] = [
      "iss": .string(flaw == .wrongIssuer ? "https://evil.example" : issuer), "sub": "alice", "name": "Alice",
      "aud": flaw == .wrongAudience ? "another-app" : "app", "iat": .integer(now),
      "exp": .integer(flaw == .expired ? now - 86_400 : now + 3600),
      "nbf": .integer(flaw == .notYet ? now + 86_400 : now),
    ]
    if flaw != .noNonce { claims["nonce"] = .string(flaw == .wrongNonce ? "replayed" : exchange.nonce) }
    let payload = Array(JSON.object(claims).encoded().utf8)
    if flaw == .unsigned {
      return "\(Base64URL.encode(Array(#"{"alg":"none"}"#.utf8))).\(Base64URL.encode(payload))."
    }
    guard let key = flaw == .foreignKey ? Self.otherKey : Self.key else { return "" }
    let header: JSON = ["alg": "RS256", "typ": "JWT", "kid": flaw == .unknownKey ? "key-9" : "key-1"]
    return try JWS.sign(payload, header: header, key: key)
  }

  private func json(_ value: JSON, status: Int = 200) -> ServerResponse {
    ServerResponse(
      status: status, headers: [("Cache-Control", "no-store")], text: value.encoded(), type: "application/json")
  }
}
