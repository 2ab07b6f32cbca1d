import Conform
import Core
import Crypto
import HTTPClient
import HostLoop
import JOSE
import JSON

extension Trial {
  /// Asks for a redirect URI that is not registered. A redirect to it is a failure.
  func openWrong(_ uri: String) async throws -> Finding {
    let landing = try await authorize { $0["redirect_uri"] = uri }
    if !uri.isEmpty, let followed = answers.first(where: { $0.headers["Location"]?.hasPrefix(uri) == true }) {
      return .broken("the provider redirected to \(WebAddress(followed.headers["Location"] ?? "").shown)")
    }
    guard let url = landing.url else { return landing.refusedOnPage() }
    let right = try client.redirectURI
    if landing.hasResult || !url.hasPrefix(right) {
      return .broken("the provider redirected to \(WebAddress(url).shown)")
    }
    return .kept("the provider told the error to the registered redirect URI: \(landing.shown)")
  }

  /// Sends a parameter of the authorization request, and compares the same parameter of the redirect.
  func comesBack(_ name: String, _ value: String) async throws -> Finding {
    let landing = try await authorize { $0[name] = value }
    guard landing.url != nil else { return .broken("the provider refused it: \(landing.shown)") }
    return landing[name] == value ? .kept("it does") : .broken("\(name) came back as '\(landing[name] ?? "")'")
  }

  /// True if the user has to sign in again for the request, though there is a session.
  func signsInAgain(_ change: (inout Fields) -> Void) async throws -> Finding {
    let before = try right
    let count = answers.count
    let landing = try await authorize(change)
    guard let code = landing.code else { return .unclear(landing.shown) }
    // A page came between the request and the redirect.
    if answers[count...].contains(where: { $0.status == 200 && $0.mediaType == "text/html" }) {
      return .kept("a page asked the user")
    }
    var attempt = Attempt(try client)
    attempt.fields["nonce"] = nil
    let time = (try? idToken(in: before.token).claims["auth_time"])?.lenientInteger
    return .broken("a code came without any page\(time == nil || code.isEmpty ? "" : ", though the session is older")")
  }

  /// Ends the check if the provider does not list the response type.
  func offers(_ type: String) throws {
    let words = Set(type.split(separator: " "))
    let has = provider.list("response_types_supported")?.contains { Set($0.split(separator: " ")) == words } == true
    guard has else { throw EndOfProbe(.notUsed("no response type \(type)")) }
  }

  /// Opens a request with a response type that the provider lists.
  func implicit(_ type: String) async throws -> Landing {
    try offers(type)
    let landing = try await authorize { fields in
      fields["response_type"] = type
      fields["nonce"] = fields["nonce"] ?? "conform"
      if !type.contains("code") { fields.withoutChallenge() }
    }
    guard landing.hasResult else { throw EndOfProbe(.unclear(landing.shown)) }
    return landing
  }

  /// Asks for a response type that should not be there.
  func ask(_ type: String, _ isRight: (Landing) -> Bool) async throws -> Finding {
    let landing = try await authorize { fields in
      fields["response_type"] = type
      if !type.contains("code") { fields.withoutChallenge() }
    }
    return landing.hasResult && isRight(landing) ? .kept(landing.shown) : landing.refused()
  }

  /// The JWT of `response_mode=jwt`.
  func signedResponseText() async throws -> String {
    guard provider.list("response_modes_supported")?.contains("jwt") == true else {
      throw EndOfProbe(.notUsed("no response_mode jwt"))
    }
    let landing = try await authorize { $0["response_mode"] = "jwt" }
    guard let text = landing["response"] else {
      throw EndOfProbe(.broken("no response in the redirect: \(landing.shown)"))
    }
    return text
  }

  func signedResponse() async throws -> JWT { try JWT(decoding: try await signedResponseText()) }

  /// Verifies a JWT by the keys of the provider.
  func verifies(_ text: String) -> Finding {
    var expected = JWT.Expectation(now: UnixTime.now.seconds)
    expected.algorithms = JWS.asymmetricAlgorithms
    let keys = provider.keys.compactMap { try? JWK($0) }
    do {
      _ = try JWT.verify(text, keys: keys, expected: expected)
      return .kept("a key of the provider made it")
    } catch { return .broken(error.message) }
  }

  /// The ID token of a token response.
  func idToken(in answer: Answer) throws -> JWT {
    guard let text = answer.string("id_token") else { throw EndOfProbe(.notUsed("no ID token is issued")) }
    return try JWT(decoding: text)
  }

  /// Pushes a right request with changes.
  func push(_ change: (inout Fields) -> Void = { _ in }) async throws -> Answer {
    var attempt = Attempt(try client)
    change(&attempt.fields)
    return try await push(attempt)
  }

  func openPushed() async throws -> Landing {
    let attempt = Attempt(try client)
    return try await self.open(try endpoint("authorization_endpoint"), try await pushed(attempt), attempt)
  }

  /// Opens a request whose parameters are in a signed object.
  func openObject(
    beside: Fields = [:], sign: ([String: JSON], PrivateKey) throws -> String = { try JWT.sign(.object($0), key: $1) },
    _ change: (inout [String: JSON]) -> Void
  ) async throws -> Landing {
    let client = try keyClient
    let attempt = Attempt(client)
    var claims = Dictionary(attempt.fields.list.map { ($0.0, JSON.string($0.1)) }) { first, _ in first }
    claims.merge(
      JWT.assertion(issuer: client.id, subject: client.id, audience: provider.issuer, now: UnixTime.now.seconds)
    ) { own, _ in own }
    claims["sub"] = nil
    change(&claims)
    var fields = beside
    fields["client_id"] = client.id
    fields["response_type"] = "code"
    fields["scope"] = client.scope
    fields["request"] = try sign(claims, try key(client))
    return try await self.open(try endpoint("authorization_endpoint"), fields, attempt)
  }
}
