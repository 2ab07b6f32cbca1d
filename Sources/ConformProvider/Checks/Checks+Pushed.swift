import Conform
import Core
import Crypto
import HTTPClient
import JOSE
import JSON

/// Pushed requests and request objects.
extension ProviderCheck {
  private static let topic = Topic(
    "provider.par", "Pushed authorization requests", wrong: .provider,
    means: "A request can be changed on its way through the browser, though it was pushed to prevent that.",
    change: ["In general": "Authenticate the client at the endpoint, bind request_uri to it, and let it work once."])

  private static let rfc9126 = "RFC 9126, 2"
  private static let par = "pushed_authorization_request_endpoint"

  static let pushed: [ProviderCheck] = pushes + objects

  private static let pushes: [ProviderCheck] = [
    .init(topic, "status", "A pushed request gets 201", "pushes a right request", .must("the status is 201", "\(rfc9126).2"), needs: [par], peers: ["oidf:fapi2-security-profile-final-happy-flow"]) { trial in
      let answer = try await trial.push()
      if let unclear = answer.unclear { return unclear }
      return trial.finding(answer.status == 201, "201", answer.shown)
    },
    .init(topic, "uri", "The response has a request_uri", "pushes a right request", .must("request_uri is required", "\(rfc9126).2"), needs: [par]) { trial in
      let uri = try await trial.push().needed("the push").string("request_uri")
      return trial.finding(uri?.contains(":") == true, "it has", "request_uri is \(uri ?? "missing")")
    },
    .init(topic, "uri-form", "request_uri is a URN of RFC 9126", "reads request_uri", .should("the form is urn:ietf:params:oauth:request_uri:…", "\(rfc9126).2"), needs: [par]) { trial in
      let uri = try await trial.push().needed("the push").string("request_uri") ?? ""
      return trial.finding(uri.hasPrefix("urn:ietf:params:oauth:request_uri:"), "it is", "it is another address")
    },
    .init(topic, "uri-length", "request_uri has at least 128 bits", "measures request_uri", .must("the reference cannot be guessed", "RFC 9126, 7.1"), needs: [par]) { trial in
      let uri = try await trial.push().needed("the push").string("request_uri") ?? ""
      let tail = String(uri.split { ":/".contains($0) }.last ?? "")
      let bits = Double(tail.count) * Alphabet.bits(tail)
      return trial.finding(bits >= 128, "\(tail.count) characters", "at most \(Int(bits)) bits")
    },
    .init(topic, "expires", "expires_in is a positive number", "reads expires_in", .must("expires_in is a positive integer", "\(rfc9126).2"), needs: [par]) { trial in
      let value = try await trial.push().needed("the push")["expires_in"]
      return trial.finding(value?.string == nil && (value?.lenientInteger ?? 0) > 0, "it is", "expires_in is \(value?.encoded() ?? "missing")")
    },
    .init(topic, "short", "A pushed request is valid for ten minutes at most", "reads expires_in", .must("expires_in is shorter than 600 seconds", "FAPI 2.0 Security Profile, 5.3.2.2; RFC 9126, 2.2"), [.fapi2], needs: [par]) { trial in
      let seconds = try await trial.push().needed("the push")["expires_in"]?.lenientInteger ?? 0
      return trial.finding(seconds < 600, "\(seconds) s", "\(seconds) s")
    },
    .init(topic, "no-store", "The response is not stored", "reads Cache-Control", .should("the response has Cache-Control: no-cache, no-store", "\(rfc9126).2"), needs: [par]) { trial in
      let answer = try await trial.push().needed("the push")
      return trial.finding(!answer.cacheControl.isDisjoint(with: ["no-store", "no-cache"]), "it is not", "Cache-Control: \(answer.headers["Cache-Control"] ?? "missing")")
    },
    .init(topic, "works", "A pushed request gives a code", "opens a pushed request", .must("the request counts as if it had been sent to the authorization endpoint", "RFC 9126, 4"), needs: [par]) { try await $0.openPushed().accepted() },
    .init(topic, "once", "A request_uri leads to one code", "opens a pushed request twice", .should("a request_uri is used once", "RFC 9126, 4 and 7.3"), needs: [par], peers: ["oidf:fapi2-security-profile-final-par-attempt-reuse-request_uri"]) { trial in
      let attempt = Attempt(try trial.client)
      let fields = try await trial.pushed(attempt)
      let first = try await trial.open(try trial.endpoint("authorization_endpoint"), fields, attempt)
      guard first.hasResult else { return .unclear(first.shown) }
      return try await trial.open(try trial.endpoint("authorization_endpoint"), fields, attempt).refused()
    },
    .init(topic, "client", "A request_uri of another client is refused", "opens a pushed request as another client", .must("request_uri is bound to the client that pushed", "\(rfc9126).2"), needs: [par], peers: ["oidf:fapi2-security-profile-final-par-attempt-to-use-request_uri-for-different-client"]) { trial in
      let other = try trial.otherClient
      let attempt = Attempt(try trial.client)
      var fields = try await trial.pushed(attempt)
      fields["client_id"] = other.id
      return try await trial.open(try trial.endpoint("authorization_endpoint"), fields, attempt).refused()
    },
    .init(topic, "changed", "Parameters beside a request_uri do not count", "opens a pushed request with another redirect_uri", .must("parameters outside of the pushed request are ignored or refused", "RFC 9126, 4; RFC 9101, 5 and 6.3"), needs: [par]) { trial in
      let attempt = Attempt(try trial.client)
      var fields = try await trial.pushed(attempt)
      fields["redirect_uri"] = "https://attacker.example/callback"
      let landing = try await trial.open(try trial.endpoint("authorization_endpoint"), fields, attempt)
      let isForeign = landing.url?.hasPrefix("https://attacker.example") == true
      return trial.finding(!isForeign, landing.shown, "the provider redirected to the address beside the request")
    },
    .init(topic, "state", "state beside a request_uri does not count", "opens a pushed request with another state", .must("parameters outside of the pushed request are ignored or refused", "RFC 9126, 4; RFC 9101, 5 and 6.3"), needs: [par]) { trial in
      let attempt = Attempt(try trial.client)
      var fields = try await trial.pushed(attempt)
      fields["state"] = "conform-changed"
      let landing = try await trial.open(try trial.endpoint("authorization_endpoint"), fields, attempt)
      return trial.finding(landing["state"] != "conform-changed", landing.shown, "the state beside the request came back")
    },
    .init(topic, "unknown", "An unknown request_uri is refused", "opens a request_uri that never was", .must("the error is invalid_request_uri", "RFC 9126, 4; RFC 9101, 7"), needs: [par]) { trial in
      let attempt = Attempt(try trial.client)
      let fields: Fields = ["client_id": attempt.client.id, "request_uri": "urn:ietf:params:oauth:request_uri:\(SecureRandom.token())"]
      return try await trial.open(try trial.endpoint("authorization_endpoint"), fields, attempt).refused()
    },
    .init(topic, "nested", "request_uri cannot be pushed", "pushes a request_uri", .must("request_uri is refused at the endpoint", "\(rfc9126).1"), needs: [par], peers: ["oidf:fapi2-security-profile-final-par-authorization-request-containing-request_uri"]) { trial in
      try await trial.push { $0["request_uri"] = "urn:ietf:params:oauth:request_uri:conform" }.refused("invalid_request")
    },
    .init(topic, "redirect", "A wrong redirect URI is refused when it is pushed", "pushes a redirect URI that is not registered", .must("the endpoint checks the request like the authorization endpoint", "\(rfc9126).1 and 2.3"), needs: [par]) { trial in
      try await trial.push { $0["redirect_uri"] = "https://attacker.example/callback" }.refused("invalid_request", "invalid_redirect_uri")
    },
    .init(topic, "response-type", "A wrong response_type is refused when it is pushed", "pushes response_type=conform", .must("the endpoint checks the request like the authorization endpoint", "\(rfc9126).1"), needs: [par]) { trial in
      try await trial.push { $0["response_type"] = "conform" }.refused("unsupported_response_type", "invalid_request")
    },
    .init(topic, "challenge", "A wrong code_challenge_method is refused when it is pushed", "pushes code_challenge_method=S1", .must("the endpoint checks the request like the authorization endpoint", "\(rfc9126).1"), needs: [par]) { trial in
      try await trial.push { $0["code_challenge_method"] = "S1" }.refused("invalid_request")
    },
    .init(topic, "no-client", "A request without a client is refused", "pushes without a client", .must("the client is authenticated like at the token endpoint", rfc9126), needs: [par]) { trial in
      var attempt = Attempt(try trial.client)
      attempt.fields["client_id"] = nil
      return try await trial.post(try trial.endpoint(par), attempt.fields, as: nil).refused("invalid_client", "invalid_request")
    },
    .init(topic, "secret", "A confidential client without its secret is refused", "pushes as a confidential client without its secret", .must("the client is authenticated like at the token endpoint", rfc9126), needs: [par]) { trial in
      let attempt = Attempt(try trial.secretClient)
      return try await trial.post(try trial.endpoint(par), attempt.fields, as: nil).refused("invalid_client", "invalid_request")
    },
    .init(topic, "other-client", "Another client_id than that of the authentication is refused", "pushes another client's request", .must("client_id is the authenticated client", "\(rfc9126).1"), needs: [par]) { trial in
      let client = try trial.secretClient
      let attempt = Attempt(try trial.client)
      guard attempt.client.id != client.id else { return .skipped("no second client is given") }
      let header = Trial.basic(client.id, client.secret?.reveal() ?? "")
      return try await trial.post(try trial.endpoint(par), attempt.fields, as: nil, ["Authorization": header]).refused()
    },
    .init(topic, "get", "GET is refused", "pushes by GET", .must("the client uses POST; other methods get 405", "\(rfc9126).3"), needs: [par]) { trial in
      let attempt = Attempt(try trial.client)
      return try await trial.get(WebAddress(try trial.endpoint(par)).appending(attempt.fields.encoded)).refused()
    },
    .init(topic, "twice", "Two parameters of a name are refused", "pushes scope twice", .must("parameters come once", "RFC 6749, 3.1 and 3.2"), needs: [par]) { trial in
      try await trial.push { $0.add("scope", "openid") }.refused("invalid_request")
    },
  ]

  // MARK: Request objects

  private static let objectTopic = Topic(
    "provider.request-object", "Request objects", wrong: .provider,
    means: "Somebody else can make or change the client's request.",
    change: ["In general": "Accept signed request objects of registered keys alone, and take no parameter from beside them."])

  private static let rfc9101 = "RFC 9101, 6"

  private typealias Change = @Sendable (inout [String: JSON]) -> Void

  private static let wrongObjects: [(name: String, title: String, rule: Rule, change: Change)] = [
    ("audience", "A request object for another audience is refused", .must("aud is the provider", "\(rfc9101).1 and 4"), { $0["aud"] = "https://other.example" }),
    ("issuer", "A request object of another issuer is refused", .must("iss is the client", "RFC 9101, 4; OpenID Connect Core 1.0, 6.1"), { $0["iss"] = "conform" }),
    ("expired", "An expired request object is refused", .must("an expired JWT is refused", "\(rfc9101).1; RFC 7519, 4.1.4"), { $0["exp"] = .integer(Int64(UnixTime.now.seconds) - 3600) }),
    ("future", "A request object of the future is refused", .must("a JWT is not used before nbf", "RFC 7519, 4.1.5"), { $0["nbf"] = .integer(Int64(UnixTime.now.seconds) + 7200) }),
    ("client", "A request object of another client is refused", .must("client_id in the object is that beside it", "RFC 9101, 5 and 6.3"), { $0["client_id"] = "conform-other" }),
    ("nested", "A request object in a request object is refused", .must("request and request_uri are not in the object", "RFC 9101, 4"), { $0["request_uri"] = "urn:conform" }),
    ("redirect", "A wrong redirect URI in the object is refused", .must("the parameters are checked as without an object", "RFC 9101, 6.3"), { $0["redirect_uri"] = "https://attacker.example/callback" }),
  ]

  private static let objects: [ProviderCheck] = wrongObjects.map { wrong in
    ProviderCheck(objectTopic, wrong.name, wrong.title, "opens a request object that is wrong there", wrong.rule, needs: ["request_object_signing_alg_values_supported"]) { trial in
      try await trial.openObject(wrong.change).refused()
    }
  } + otherObjects

  private static let otherObjects: [ProviderCheck] = [
    .init(objectTopic, "right", "A right request object gives a code", "opens a signed request object", .must("the parameters come from the object", "RFC 9101, 5 and 6.3"), [.fapi2MessageSigning, .oidc], needs: ["request_object_signing_alg_values_supported"], peers: ["oidf:oidcc-request-object"]) { try await $0.openObject { _ in }.accepted() },
    .init(objectTopic, "none", "An unsigned request object is refused", "opens a request object with alg none", .must("the object is signed", "RFC 9101, 4 and 10.1; RFC 8725, 3.1"), needs: ["request_object_signing_alg_values_supported"], peers: ["oidf:oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported"]) { trial in
      try await trial.openObject(sign: { claims, _ in Trial.unsigned(claims) }) { _ in }.refused()
    },
    .init(objectTopic, "key", "A request object of another key is refused", "signs the object by a new key", .must("the signature is checked by the client's key", "\(rfc9101).2"), needs: ["request_object_signing_alg_values_supported"]) { trial in
      let other = try PrivateKey.generate(try PrivateKey.Kind(type: nil, curve: nil, bits: nil, algorithm: "ES256"))
      return try await trial.openObject(sign: { claims, _ in try JWT.sign(.object(claims), key: other) }) { _ in }.refused()
    },
    .init(objectTopic, "changed", "A changed request object is refused", "changes the payload of a signed object", .must("the signature is checked", "\(rfc9101).2"), needs: ["request_object_signing_alg_values_supported"]) { trial in
      try await trial.openObject(sign: { claims, key in Trial.tampered(try JWT.sign(.object(claims), key: key)) }) { _ in }.refused()
    },
    .init(objectTopic, "beside", "A state beside the object does not count", "sends another state beside the object", .must("parameters beside the object are ignored", "RFC 9101, 5 and 6.3"), needs: ["request_object_signing_alg_values_supported"]) { trial in
      let landing = try await trial.openObject(beside: ["state": "conform-beside"]) { $0["state"] = "conform-inside" }
      return trial.finding(landing["state"] != "conform-beside", landing.shown, "the state beside the object came back")
    },
    .init(objectTopic, "garbage", "A text that is no request object is refused", "sends request=conform", .must("the error is invalid_request_object", "RFC 9101, 7"), needs: ["request_object_signing_alg_values_supported"]) { trial in
      try await trial.openObject(sign: { _, _ in "conform" }) { _ in }.refused("invalid_request_object", "invalid_request")
    },
  ]
}

extension Trial {
  /// Pushes a right request with changes.
  func push(_ change: (inout Fields) -> Void = { _ in }) async throws -> Answer {
    var attempt = Attempt(try client)
    change(&attempt.fields)
    return try await push(attempt)
  }

  func openPushed() async throws -> Landing {
    let attempt = Attempt(try client)
    return try await open(try endpoint("authorization_endpoint"), try await pushed(attempt), attempt)
  }

  /// Opens a request whose parameters are in a signed object.
  func openObject(
    beside: Fields = [:], sign: ([String: JSON], PrivateKey) throws -> String = { try JWT.sign(.object($0), key: $1) },
    _ change: (inout [String: JSON]) -> Void
  ) async throws -> Landing {
    let client = try keyClient
    let attempt = Attempt(client)
    var claims = Dictionary(attempt.fields.list.map { ($0.0, JSON.string($0.1)) }) { first, _ in first }
    claims.merge(JWT.assertion(issuer: client.id, subject: client.id, audience: provider.issuer, now: UnixTime.now.seconds)) { own, _ in own }
    claims["sub"] = nil
    change(&claims)
    var fields = beside
    fields["client_id"] = client.id
    fields["response_type"] = "code"
    fields["scope"] = client.scope
    fields["request"] = try sign(claims, try key(client))
    return try await open(try endpoint("authorization_endpoint"), fields, attempt)
  }
}
