import Conform
import Core
import Crypto
import HTTPClient
import JOSE
import JSON

/// The ID token and the access token of the right sign-in.
enum IDTokenChecks {
  private static let topic = Topic(
    "provider.id-token", "ID token", .openID, wrong: .provider,
    means: "Applications refuse the user, or take somebody else for the user.",
    change: [
      "In general": "Issue ID tokens with iss, sub, aud, exp, iat and nonce, signed by a published key.",
      "B2C": "Set the issuer of the user flow to the form with the policy, under Properties, Token compatibility.",
    ])

  private static let claims = "OpenID Connect Core 1.0, 2"

  static let idToken: [ProviderCheck] = idTokenClaims + idTokenSignature + accessToken

  private static let idTokenClaims: [ProviderCheck] = [
    .init(
      topic, "issuer", "iss is the issuer of the metadata", "compares iss",
      .must("iss is exactly the issuer", "\(claims); 3.1.3.7 (2)")
    ) { trial in
      try trial.claim("iss") { $0.string == trial.provider.issuer ? nil : "is not \(trial.provider.issuer)" }
    },
    .init(
      topic, "audience", "aud has the client", "compares aud", .must("aud has the client_id", "\(claims); 3.1.3.7 (3)")
    ) { trial in
      let id = try trial.client.id
      return try trial.claim("aud") { $0.has(id) ? nil : "does not have \(id)" }
    },
    .init(
      topic, "subject", "sub is a text of at most 255 ASCII characters", "reads sub",
      .must("sub is required, with at most 255 ASCII characters", claims)
    ) { trial in
      try trial.claim("sub") { value in
        guard let text = value.string, !text.isEmpty else { return "is not a text" }
        return text.utf8.count <= 255 && text.allSatisfy(\.isASCII) ? nil : "is longer, or not ASCII"
      }
    },
    .init(
      topic, "expiry", "exp is a number in the future", "reads exp", .must("exp is required, as a JSON number", claims)
    ) { trial in
      try trial.claim("exp") {
        $0.anyNumber.map { $0 > UnixTime.now.seconds - 60 ? nil : "has passed" } ?? "is not a number"
      }
    },
    .init(
      topic, "issued", "iat is a number", "reads iat", .must("iat is required, as a JSON number", claims)
    ) { trial in
      try trial.claim("iat") { $0.anyNumber == nil ? "is not a number" : nil }
    },
    .init(
      topic, "clock", "The provider's clock is right", "compares iat with this machine's clock",
      .should("clocks differ by a few minutes at most", "OpenID Connect Core 1.0, 3.1.3.7 (9) and (10)")
    ) { trial in
      try trial.claim("iat") { value in
        let difference = (value.anyNumber ?? 0) - UnixTime.now.seconds
        return abs(difference) < 300 ? nil : "differs by \(Int(difference)) s"
      }
    },
    .init(
      topic, "order", "exp is behind iat", "compares exp and iat", .must("a token expires after it was made", claims)
    ) { trial in
      let issued = try trial.idClaims()["iat"]?.anyNumber ?? 0
      return try trial.claim("exp") { ($0.anyNumber ?? 0) > issued ? nil : "is not behind iat" }
    },
    .init(
      topic, "lifetime", "An ID token is valid for a day at most", "compares exp and iat",
      .may("an ID token is for one sign-in", "\(claims); RFC 9700, 4.14")
    ) { trial in
      let issued = try trial.idClaims()["iat"]?.anyNumber ?? 0
      return try trial.claim("exp") { ($0.anyNumber ?? 0) - issued <= 86_400 ? nil : "is more than a day behind iat" }
    },
    .init(
      topic, "nonce", "nonce is that of the request", "compares nonce",
      .must("nonce comes back unchanged", "\(claims); 3.1.3.7 (11)")
    ) { trial in
      let nonce = try trial.right.attempt.fields["nonce"]
      return try trial.claim("nonce") { $0.string == nonce ? nil : "is another one" }
    },
    .init(
      topic, "not-before", "nbf has passed", "reads nbf", .must("a token is not used before nbf", "RFC 7519, 4.1.5")
    ) { trial in
      guard let value = try trial.idClaims()["nbf"] else { return .notUsed("no nbf") }
      return trial.finding(
        (value.anyNumber ?? .infinity) <= UnixTime.now.seconds + 300, "it has", "nbf is \(value.encoded())")
    },
    .init(
      topic, "auth-time", "auth_time is a number in the past", "reads auth_time",
      .must("auth_time is a JSON number", claims)
    ) { trial in
      guard let value = try trial.idClaims()["auth_time"] else { return .notUsed("no auth_time") }
      return trial.finding(
        (value.anyNumber ?? .infinity) <= UnixTime.now.seconds + 300, "it is", "auth_time is \(value.encoded())")
    },
    .init(
      topic, "azp", "azp is the client", "reads azp",
      .should("azp is the party that the token was issued to", "\(claims); 3.1.3.7 (5)")
    ) { trial in
      guard let value = try trial.idClaims()["azp"] else { return .notUsed("no azp") }
      let id = try trial.client.id
      return trial.finding(value.string == id, "it is", "azp is \(value.encoded())")
    },
    .init(
      topic, "several-audiences", "azp is there with several audiences", "reads aud and azp",
      .should("azp tells the client among several audiences", "OpenID Connect Core 1.0, 3.1.3.7 (4)")
    ) { trial in
      let claims = try trial.idClaims()
      guard (claims["aud"]?.array?.count ?? 1) > 1 else { return .notUsed("one audience") }
      return trial.finding(claims["azp"] != nil, "it is", "no azp beside several audiences")
    },
    .init(topic, "acr", "acr is a text", "reads acr", .must("acr is a string", claims)) { trial in
      guard let value = try trial.idClaims()["acr"] else { return .notUsed("no acr") }
      return trial.finding(value.string != nil, "it is", "acr is \(value.encoded())")
    },
    .init(topic, "amr", "amr is a list of texts", "reads amr", .must("amr is an array of strings", claims)) { trial in
      guard let value = try trial.idClaims()["amr"] else { return .notUsed("no amr") }
      return trial.finding(value.array?.allSatisfy { $0.string != nil } == true, "it is", "amr is \(value.encoded())")
    },
    .init(
      topic, "access-token-hash", "at_hash fits the access token", "computes at_hash",
      .must("at_hash, if it is there, is the left half of the hash", "OpenID Connect Core 1.0, 3.1.3.6 and 3.1.3.8")
    ) { trial in
      let token = try trial.idToken(in: try trial.right.token)
      guard let hash = token.claims["at_hash"]?.string else { return .notUsed("no at_hash") }
      guard let algorithm = SignatureAlgorithm(rawValue: token.header["alg"]?.string ?? "") else {
        return .unclear("unknown algorithm")
      }
      return trial.finding(
        hash == algorithm.leftHalfHash(of: try trial.right.accessToken), "it does", "at_hash is another one")
    },
    .init(
      topic, "no-access-token", "The ID token holds no access token", "looks for tokens in the claims",
      .may("an ID token is shown to others, such as at a sign-out", "\(claims); RFC 9700, 4.2")
    ) { trial in
      let text = try trial.idClaims().encoded()
      return trial.finding(!text.contains(try trial.right.accessToken), "it does not", "the access token is in a claim")
    },
    .init(
      topic, "subject-same", "sub is the same at each sign-in", "signs in again",
      .must("sub is never reassigned, and stays", claims)
    ) { trial in
      let before = try trial.idClaims()["sub"]
      let after = try trial.idToken(in: try await trial.tokens()).claims["sub"]
      return trial.finding(before == after, "it is", "sub changed")
    },
  ]

  private static let idTokenSignature: [ProviderCheck] = [
    .init(
      topic, "signature", "A published key made the signature", "verifies the signature",
      .must("the token is signed by a key of jwks_uri", "\(claims); 3.1.3.7 (6)"), peers: ["oidf:oidcc-server"]
    ) { trial in
      guard let token = try trial.right.idToken else { return .notUsed("no ID token is issued") }
      return trial.verifies(token)
    },
    .init(
      topic, "algorithm", "The algorithm is one of the metadata", "compares alg",
      .must("alg is one of id_token_signing_alg_values_supported", "OpenID Connect Discovery 1.0, 3")
    ) { trial in
      let name = try trial.idToken(in: try trial.right.token).header["alg"]?.string ?? "none"
      guard let list = trial.provider.list("id_token_signing_alg_values_supported") else { return .notUsed("no list") }
      return trial.finding(list.contains(name), name, "alg is \(name)")
    },
    .init(
      topic, "signed", "The ID token is signed", "reads alg",
      .must("ID tokens are signed, unless the client registered none", claims), peers: ["oidf:oidcc-idtoken-unsigned"]
    ) { trial in
      let name = try trial.idToken(in: try trial.right.token).header["alg"]?.string ?? "none"
      return trial.finding(name.lowercased() != "none", name, "alg is none")
    },
    .init(
      topic, "kid", "The header names the key", "reads kid",
      .must("kid is there if the set has several keys", "OpenID Connect Core 1.0, 10.1")
    ) { trial in
      let kid = try trial.idToken(in: try trial.right.token).header["kid"]?.string
      guard try trial.keys().count > 1 || kid != nil else { return .notUsed("one key alone") }
      return trial.finding(
        try kid != nil && trial.keys().contains { $0["kid"]?.string == kid }, "it does", "kid is \(kid ?? "missing")")
    },
    .init(
      topic, "header", "The header brings no key along", "looks for jwk, jku and x5u",
      .should("the header does not use x5u, x5c, jku or jwk", claims)
    ) { trial in
      let header = try trial.idToken(in: try trial.right.token).header
      let found = ["jwk", "jku", "x5u", "x5c"].filter { header[$0] != nil }
      return trial.finding(found.isEmpty, "it does not", "has \(found.joined(separator: ", "))")
    },
  ]

  // MARK: Access tokens as JWT

  private static let accessTopic = Topic(
    "provider.access-token", "Access token", wrong: .provider,
    means: "An API takes tokens that were made for another API, or for a sign-in.",
    change: [
      "In general": "Give each API its own audience, and mark access tokens by typ at+jwt.",
      "Entra": "Set accessTokenAcceptedVersion to 2 in the manifest of the API.",
    ])

  private static let rfc9068 = "RFC 9068, 2"

  private static let accessToken: [ProviderCheck] = [
    .init(
      accessTopic, "type", "typ is at+jwt", "reads typ of the access token",
      .should("typ at+jwt keeps access tokens and ID tokens apart", "RFC 9068, 2.1; RFC 8725, 3.11")
    ) { trial in
      let type = try trial.accessJWT().header["typ"]?.string?.lowercased() ?? "missing"
      return trial.finding(["at+jwt", "application/at+jwt"].contains(type), type, "typ is \(type)")
    },
    .init(
      accessTopic, "claims", "A JWT access token has the claims of the JWT profile", "reads the claims",
      .should("the claims are required in the JWT profile", "\(rfc9068).2")
    ) { trial in
      let claims = try trial.accessJWT().claims
      let missing = ["iss", "exp", "aud", "sub", "client_id", "iat", "jti"].filter { claims[$0] == nil }
      return trial.finding(missing.isEmpty, "it has", "no \(missing.joined(separator: ", "))")
    },
    .init(
      accessTopic, "audience", "The audience is not the client", "compares aud",
      .should("aud is the API", "\(rfc9068).2 and 3")
    ) { trial in
      let audience = try trial.accessJWT().claims["aud"]
      let id = try trial.client.id
      return trial.finding(
        audience != nil && audience?.string != id, "it is not",
        audience == nil ? "there is no aud" : "aud is the client")
    },
    .init(
      accessTopic, "expiry", "A JWT access token has exp", "reads exp",
      .must("a token that an API checks by itself expires", "\(rfc9068).2; RFC 9700, 2.3")
    ) { trial in
      let expiry = try trial.accessJWT().claims["exp"]?.anyNumber
      return trial.finding((expiry ?? 0) > UnixTime.now.seconds - 60, "it has", "exp is missing or has passed")
    },
    .init(
      accessTopic, "expiry-same", "exp fits expires_in", "compares exp and expires_in",
      .should("expires_in is the lifetime of the token", "RFC 6749, 5.1")
    ) { trial in
      let claims = try trial.accessJWT().claims
      guard let expiry = claims["exp"]?.anyNumber, let start = (claims["nbf"] ?? claims["iat"])?.anyNumber,
        let seconds = try trial.right.token["expires_in"]?.lenientInteger
      else { return .notUsed("no expires_in") }
      return trial.finding(
        abs(expiry - start - Double(seconds)) < 600, "it does",
        "the token is valid for \(Int(expiry - start)) s, expires_in is \(seconds)")
    },
    .init(
      accessTopic, "signed", "A JWT access token is signed", "reads alg",
      .must("the token is signed; none is not used", "RFC 9068, 2.1")
    ) { trial in
      let name = try trial.accessJWT().header["alg"]?.string ?? "none"
      return trial.finding(name.lowercased() != "none", name, "alg is none")
    },
    .init(
      accessTopic, "signature", "A published key made the signature", "verifies the access token",
      .should("APIs find the key in jwks_uri", "RFC 9068, 4")
    ) { trial in
      _ = try trial.accessJWT()
      return trial.verifies(try trial.right.accessToken)
    },
    .init(
      accessTopic, "issuer", "iss is the issuer of the metadata", "compares iss",
      .must("iss is the issuer of the authorization server", "\(rfc9068).2 and 4")
    ) { trial in
      let issuer = try trial.accessJWT().claims["iss"]?.string ?? "missing"
      return trial.finding(issuer == trial.provider.issuer, "it is", "iss is \(issuer)")
    },
    .init(
      accessTopic, "no-nonce", "The access token has no nonce", "looks for nonce",
      .should("a token with nonce can pass as an ID token", "RFC 9068, 5; RFC 8725, 2.8")
    ) { trial in
      trial.finding(try trial.accessJWT().claims["nonce"] == nil, "it has none", "it has a nonce")
    },
    .init(
      accessTopic, "not-id-token", "Access token and ID token differ", "compares the two tokens",
      .must("the two tokens have different purposes", "RFC 9068, 5")
    ) { trial in
      let right = try trial.right
      guard let token = right.idToken else { return .notUsed("no ID token is issued") }
      return trial.finding(token != right.accessToken, "they do", "they are the same")
    },
  ]
}
