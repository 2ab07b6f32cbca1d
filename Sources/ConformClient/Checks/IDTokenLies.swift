import Conform
import Core
import JSON
import LocalTenant

/// Lies and truths in the claims of ID tokens.
enum IDTokenLies {
  static let all: [ClientCheck] =
    issuerClaims + audienceClaims + timeClaims + nonceClaims + subjectClaims + otherClaims + idTokenTruths

  private static let t = Topic.clientIDToken

  private static let issuerRule = Rule.must(
    "iss is exactly the issuer of the metadata.", "OpenID Connect Core 1.0, 3.1.3.7 (2)")

  private static let issuerClaims: [ClientCheck] = [
    t.idToken("iss-other", "ID token of another issuer", issuerRule, peers: ["oidf:oidcc-client-test-invalid-iss"]) {
      token, _ in token.claims["iss"] = "https://attacker.example"
    },
    t.idToken("iss-missing", "ID token without iss", issuerRule) { token, _ in token.claims["iss"] = nil },
    t.idToken("iss-slash", "ID token with a slash behind iss", issuerRule) { token, _ in
      token.claims["iss"] = .string((token.claims["iss"]?.string ?? "") + "/")
    },
    t.idToken("iss-prefix", "ID token whose iss begins with the issuer", issuerRule) { token, _ in
      token.claims["iss"] = .string((token.claims["iss"]?.string ?? "") + ".attacker.example")
    },
    t.idToken("iss-host", "ID token of the same path on another host", issuerRule) { token, place in
      token.claims["iss"] = .string(
        (token.claims["iss"]?.string ?? "").replacing(place.origin, with: place.otherOrigin))
    },
    t.idToken("iss-case", "ID token with iss in capitals", issuerRule) { token, _ in
      token.claims["iss"] = .string((token.claims["iss"]?.string ?? "").uppercased())
    },
    t.idToken("iss-list", "ID token with a list of issuers", issuerRule) { token, _ in
      token.claims["iss"] = [token.claims["iss"] ?? "", "https://attacker.example"]
    },
    t.idToken("iss-empty", "ID token with an empty iss", issuerRule) { token, _ in token.claims["iss"] = "" },
  ]

  private static let audienceRule = Rule.must(
    "aud has the client_id of this client.", "OpenID Connect Core 1.0, 3.1.3.7 (3)")

  private static let audienceClaims: [ClientCheck] = [
    t.idToken(
      "aud-other", "ID token for another client", audienceRule,
      peers: ["oidf:oidcc-client-test-invalid-aud", "oidf:fapi2-security-profile-final-client-test-invalid-aud"]
    ) {
      token, _ in token.claims["aud"] = "another-client"
    },
    t.idToken("aud-missing", "ID token without aud", audienceRule, peers: ["oidf:oidcc-client-test-missing-aud"]) {
      token, _ in token.claims["aud"] = nil
    },
    t.idToken("aud-empty", "ID token with an empty list of audiences", audienceRule) { token, _ in
      token.claims["aud"] = []
    },
    t.idToken("aud-list-other", "ID token for a list of other clients", audienceRule) { token, _ in
      token.claims["aud"] = ["another-client", "a-third-client"]
    },
    t.idToken("aud-prefix", "ID token whose aud begins with the client_id", audienceRule) { token, _ in
      token.claims["aud"] = .string((token.claims["aud"]?.string ?? "") + "-2")
    },
    t.idToken("aud-part", "ID token whose aud is a part of the client_id", audienceRule) { token, _ in
      token.claims["aud"] = .string(String((token.claims["aud"]?.string ?? "").prefix(8)))
    },
    t.idToken(
      "aud-untrusted", "ID token for this client and for an unknown one",
      .should("A client refuses audiences that it does not trust.", "OpenID Connect Core 1.0, 3.1.3.7 (3)"),
      peers: ["oidf:fapi2-security-profile-final-client-test-invalid-secondary-aud"]
    ) { token, _ in
      token.claims["aud"] = [token.claims["aud"] ?? "", "https://attacker.example"]
      token.claims["azp"] = token.claims["aud"]?.array?.first
    },
    t.idToken(
      "azp-other", "ID token with azp of another client",
      .should("azp, if there is one, is the client_id.", "OpenID Connect Core 1.0, 3.1.3.7 (5)")
    ) { token, _ in token.claims["azp"] = "another-client" },
  ]

  private static let expiryRule = Rule.must("The current time is before exp.", "OpenID Connect Core 1.0, 3.1.3.7 (9)")
  private static let issueRule = Rule.should(
    "iat can be used to refuse tokens that are too far away.", "OpenID Connect Core 1.0, 3.1.3.7 (10)")

  private static let timeClaims: [ClientCheck] = [
    t.idToken(
      "exp-past", "ID token that expired an hour ago", expiryRule,
      peers: ["oidf:fapi2-security-profile-final-client-test-invalid-expired-exp"]
    ) { token, _ in
      token.age(by: 7200)
    },
    t.idToken("exp-only", "ID token with exp before iat", expiryRule) { token, _ in token.move("exp", by: -2 * 86_400)
    },
    t.idToken(
      "exp-missing", "ID token without exp", .must("An ID token has exp.", "OpenID Connect Core 1.0, 2"),
      peers: ["oidf:fapi2-security-profile-final-client-test-invalid-missing-exp"]
    ) { token, _ in
      token.claims["exp"] = nil
    },
    t.idToken("exp-zero", "ID token with exp 0", expiryRule) { token, _ in token.claims["exp"] = 0 },
    t.idToken("exp-negative", "ID token with a negative exp", expiryRule) { token, _ in token.claims["exp"] = -1 },
    t.idToken("exp-words", "ID token with a date in words as exp", expiryRule) { token, _ in
      token.claims["exp"] = "tomorrow"
    },
    t.idToken(
      "iat-missing", "ID token without iat", .must("An ID token has iat.", "OpenID Connect Core 1.0, 2"),
      peers: ["oidf:oidcc-client-test-missing-iat"]
    ) { token, _ in token.claims["iat"] = nil },
    t.idToken("iat-future", "ID token that is issued tomorrow", issueRule) { token, _ in
      token.move("iat", by: 86_400)
      token.move("exp", by: 86_400)
    },
    t.idToken(
      "iat-old", "ID token that is issued last year",
      .may("iat limits how long a nonce is kept.", "OpenID Connect Core 1.0, 3.1.3.7 (10)")
    ) {
      token, _ in token.move("iat", by: -365 * 86_400)
    },
    t.idToken(
      "nbf-future", "ID token that is valid from tomorrow",
      .should("A token is not accepted before nbf.", "RFC 7519, 4.1.5")
    ) {
      token, _ in
      token.move("exp", by: 2 * 86_400)
      token.claims["nbf"] = .integer(Int64(UnixTime.now.seconds) + 86_400)
    },
  ]

  private static let nonceRule = Rule.must(
    "nonce is that of the authorization request.", "OpenID Connect Core 1.0, 3.1.3.7 (11)")

  private static let nonceClaims: [ClientCheck] = [
    nonce("nonce-other", "ID token with another nonce", peers: ["oidf:oidcc-client-test-nonce-invalid"]) { _ in
      "another-nonce"
    },
    nonce("nonce-missing", "ID token without the nonce of the request") { _ in nil },
    nonce("nonce-empty", "ID token with an empty nonce") { _ in "" },
    nonce("nonce-cut", "ID token with a nonce that lacks its end") { String($0.dropLast()) },
    nonce("nonce-case", "ID token with a nonce in other letter case") { text in
      String(text.map { $0.isUppercase ? Character($0.lowercased()) : Character($0.uppercased()) })
    },
  ]

  private static func nonce(
    _ name: String, _ title: String, peers: [String] = [], _ change: @escaping @Sendable (String) -> String?
  ) -> ClientCheck {
    t.idToken(name, title, nonceRule, peers: peers) { token, _ in
      guard let nonce = token.claims["nonce"]?.string else { throw NoLie() }
      token.claims["nonce"] = change(nonce).map(JSON.string)
    }
  }

  private static let subjectClaims: [ClientCheck] = [
    t.idToken(
      "sub-missing", "ID token without sub", .must("An ID token has sub.", "OpenID Connect Core 1.0, 2"),
      peers: ["oidf:oidcc-client-test-missing-sub"]
    ) { token, _ in token.claims["sub"] = nil },
    t.idToken("sub-empty", "ID token with an empty sub", .should("sub names the user.", "OpenID Connect Core 1.0, 2")) {
      token, _ in
      token.claims["sub"] = ""
    },
    t.idToken("sub-number", "ID token with a number as sub", .should("sub is a string.", "RFC 7519, 4.1.2")) {
      token, _ in
      token.claims["sub"] = 1
    },
    t.idToken("sub-list", "ID token with a list as sub", .should("sub is a string.", "RFC 7519, 4.1.2")) { token, _ in
      token.claims["sub"] = ["alice", "bob"]
    },
  ]

  private static let otherClaims: [ClientCheck] = [
    t.idToken(
      "at-hash", "ID token with at_hash of another access token",
      .may("at_hash binds the access token to the ID token.", "OpenID Connect Core 1.0, 3.1.3.8")
    ) { token, _ in token.claims["at_hash"] = "MTIzNDU2Nzg5MDEyMzQ1Ng" },
    t.lie(
      "missing", "Token response without an ID token",
      .should(
        "The response to a code of an OpenID Connect request has an ID token.", "OpenID Connect Core 1.0, 3.1.3.3"),
      isAboutIDToken: true,
      .tokens { members, _ in
        guard members["id_token"] != nil else { throw NoLie() }
        members["id_token"] = nil
      }),
    t.lie(
      "access-token", "Access token in place of the ID token", audienceRule, isAboutIDToken: true,
      .tokens { members, _ in
        guard members["id_token"] != nil, let token = members["access_token"] else { throw NoLie() }
        members["id_token"] = token
      }),
    t.idToken(
      "no-claims", "ID token without any claim",
      .must("An ID token has iss, sub, aud, exp and iat.", "OpenID Connect Core 1.0, 2")
    ) {
      token, _ in token.claims = [:]
    },
  ]

  private static let unknownRule = Rule.must(
    "Claims that are not understood are ignored.", "OpenID Connect Core 1.0, 3.1.3.7")

  private static let idTokenTruths: [ClientCheck] = [
    truth("extra", "ID token with unknown claims", unknownRule) { token, _ in
      token.claims["conform"] = ["deep": ["er": [1, 2.5, nil, true]]]
      token.claims["https://example.com/claims"] = "ünïcödé 🙂"
    },
    truth(
      "aud-list", "ID token with its one audience in a list", .must("aud is a string or a list.", "RFC 7519, 4.1.3")
    ) {
      token, _ in token.claims["aud"] = [token.claims["aud"] ?? ""]
    },
    truth("azp", "ID token with azp of this client", unknownRule) { token, _ in
      token.claims["azp"] = token.claims["aud"]
    },
    truth(
      "fraction", "ID token with fractions of seconds", .should("A NumericDate may have a fraction.", "RFC 7519, 2")
    ) {
      token, _ in
      for name in ["iat", "exp"] {
        if let time = token.claims[name]?.lenientInteger { token.claims[name] = .number(Double(time) + 0.5 - 1) }
      }
    },
    truth("long", "ID token with 200 groups", unknownRule) { token, _ in
      token.claims["groups"] = .array((0..<200).map { .string("00000000-0000-0000-0000-\(100_000_000_000 + $0)") })
    },
    truth("no-nbf", "ID token without nbf", .must("nbf is optional.", "RFC 7519, 4.1.5")) { token, _ in
      token.claims["nbf"] = nil
    },
    truth(
      "no-hash", "ID token without at_hash",
      .must("at_hash is optional with a code.", "OpenID Connect Core 1.0, 3.1.3.6")
    ) {
      token, _ in
      token.claims["at_hash"] = nil
    },
    truth("no-type", "ID token without typ in its header", .must("typ is optional.", "RFC 7519, 5.1")) { token, _ in
      token.header["typ"] = nil
    },
    truth(
      "header", "ID token with unknown members in its header",
      .must("Unknown members of the header are ignored.", "RFC 7515, 4")
    ) {
      token, _ in token.header["x-conform"] = "1"
    },
    t.truth(
      "skew-ahead", "Clock of the tenant 15 seconds ahead",
      .should("A client allows for a little clock skew.", "RFC 7519, 4.1.4"), in: .openID,
      .configured { $0.clockOffset = 15 }),
    t.truth(
      "skew-behind", "Clock of the tenant 15 seconds behind",
      .should("A client allows for a little clock skew.", "RFC 7519, 4.1.4"), in: .openID,
      .configured { $0.clockOffset = -15 }),
    truth(
      "short", "ID token that is valid for two minutes",
      .must("A client sets no shortest life of a token.", "OpenID Connect Core 1.0, 2")
    ) {
      token, _ in token.claims["exp"] = (token.claims["iat"]?.lenientInteger).map { .integer($0 + 120) }
    },
  ]

  private static func truth(
    _ name: String, _ title: String, _ rule: Rule,
    _ edit: @escaping @Sendable (inout TokenDraft, LiePlace) throws -> Void
  ) -> ClientCheck {
    var check = t.truth(name, title, rule, .idToken(edit))
    check.isAboutIDToken = true
    return check
  }
}
