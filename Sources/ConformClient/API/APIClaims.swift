import Conform
import Core
import JOSE
import JSON

/// Claims and scopes of tokens.
extension APICheck {
  static let claimChecks: [APICheck] = issuers + audiences + times + scopes + truths

  private static let t = Topic.apiClaims
  private static let s = Topic.apiScopes
  private static let issuerRule = Rule.must("iss is exactly the issuer that the API trusts.", "RFC 9068, 4")
  private static let audienceRule = Rule.must("aud has the identifier of this API.", "RFC 9068, 4")
  private static let expiryRule = Rule.must("The current time is before exp.", "RFC 9068, 4")

  private static let issuers: [APICheck] = [
    t.refuses("iss-other", "Token of another issuer, by the same key", issuerRule) { token, _ in
      token.claims["iss"] = "https://attacker.example"
    },
    t.refuses("iss-missing", "Token without iss", issuerRule) { token, _ in token.claims["iss"] = nil },
    t.refuses("iss-slash", "Token with a slash behind iss", issuerRule) { token, _ in
      token.claims["iss"] = .string((token.claims["iss"]?.string ?? "") + "/")
    },
    t.refuses("iss-prefix", "Token whose iss begins with the issuer", issuerRule) { token, _ in
      token.claims["iss"] = .string((token.claims["iss"]?.string ?? "") + ".attacker.example")
    },
    t.refuses("iss-host", "Token of the same path on another host", issuerRule) { token, tenant in
      token.claims["iss"] = .string(tenant.issuer.replacing("127.0.0.1", with: "localhost"))
    },
    t.refuses("iss-empty", "Token with an empty iss", issuerRule) { token, _ in token.claims["iss"] = "" },
    t.refuses(
      "tid-other", "Token of another Entra tenant (tid)",
      .should("An API for one tenant compares tid.", "Microsoft identity platform, claims validation"),
      in: [.externalID]
    ) {
      token, _ in token.claims["tid"] = "00000000-0000-4000-8000-000000000000"
    },
  ]

  private static let audiences: [APICheck] = [
    t.refuses("aud-other", "Token for another API", audienceRule) { token, _ in
      token.claims["aud"] = "https://other-api.example"
    },
    t.refuses("aud-missing", "Token without aud", audienceRule) { token, _ in token.claims["aud"] = nil },
    t.refuses("aud-empty", "Token with an empty list of audiences", audienceRule) { token, _ in token.claims["aud"] = []
    },
    t.refuses("aud-list", "Token for a list of other APIs", audienceRule) { token, _ in
      token.claims["aud"] = ["https://one.example", "https://two.example"]
    },
    t.refuses("aud-prefix", "Token whose aud begins with that of this API", audienceRule) { token, _ in
      token.claims["aud"] = .string((token.claims["aud"]?.string ?? "") + "-2")
    },
    t.refuses("aud-part", "Token whose aud is a part of that of this API", audienceRule) { token, _ in
      token.claims["aud"] = .string(String((token.claims["aud"]?.string ?? "").dropLast(4)))
    },
    t.refuses("aud-client", "Token for the client itself", audienceRule) { token, _ in
      token.claims["aud"] = token.claims["azp"]
    },
    t.refuses("aud-graph", "Token for Microsoft Graph", audienceRule, in: [.externalID, .b2c]) { token, _ in
      token.claims["aud"] = "00000003-0000-0000-c000-000000000000"
    },
  ]

  private static let times: [APICheck] = [
    t.refuses("exp-past", "Token that expired an hour ago", expiryRule) { token, _ in token.age(by: 7200) },
    t.refuses("exp-year", "Token that expired a year ago", expiryRule) { token, _ in token.age(by: 365 * 86_400) },
    t.refuses("exp-missing", "Token without exp", .must("An access token has exp.", "RFC 9068, 2.2")) { token, _ in
      token.claims["exp"] = nil
    },
    t.refuses("exp-zero", "Token with exp 0", expiryRule) { token, _ in token.claims["exp"] = 0 },
    t.refuses("exp-negative", "Token with a negative exp", expiryRule) { token, _ in token.claims["exp"] = -1 },
    t.refuses("exp-words", "Token with a word as exp", expiryRule) { token, _ in token.claims["exp"] = "tomorrow" },
    t.refuses(
      "nbf-future", "Token that is valid from tomorrow", .must("A token is not accepted before nbf.", "RFC 7519, 4.1.5")
    ) {
      token, _ in
      token.move("nbf", by: 86_400)
      token.move("exp", by: 2 * 86_400)
    },
    t.refuses("iat-future", "Token that is issued tomorrow", .may("iat tells the age of a token.", "RFC 7519, 4.1.6")) {
      token, _ in
      token.move("iat", by: 86_400)
      token.move("exp", by: 86_400)
    },
    t.refuses("sub-missing", "Token without sub and oid", .should("An access token has sub.", "RFC 9068, 2.2")) {
      token, _ in
      for name in ["sub", "oid"] { token.claims[name] = nil }
    },
    t.refuses("no-claims", "Token without any claim", .must("An access token has iss, exp and aud.", "RFC 9068, 2.2")) {
      token, _ in
      token.claims = [:]
    },
  ]

  private static let scopeRule = Rule.should(
    "An API refuses a token whose scopes do not allow the request.", "RFC 6750, 3.1")

  private static let scopes: [APICheck] = [
    s.refuses("missing", "Token without scopes", scopeRule) { token, _ in setScopes(nil, &token) },
    s.refuses("empty", "Token with empty scopes", scopeRule) { token, _ in setScopes("", &token) },
    s.refuses("other", "Token with scopes of another API", scopeRule) { token, _ in
      setScopes("Mail.Read openid", &token)
    },
    s.refuses("prefix", "Token with scopes that begin with the right ones", scopeRule) { token, _ in
      setScopes(
        (token.claims["scp"]?.string ?? "").split(separator: " ").map { "\($0)2" }.joined(separator: " "), &token)
    },
    s.refuses("case", "Token with scopes in capitals", .should("Scopes have a letter case.", "RFC 6749, 3.3")) {
      token, _ in
      let text = token.claims["scp"]?.string ?? ""
      setScopes(text.uppercased() == text ? text.lowercased() : text.uppercased(), &token)
    },
    s.refuses(
      "joined", "Token with its scopes joined by commas", .should("Scopes have spaces between them.", "RFC 6749, 3.3")
    ) { token, _ in
      let words = (token.claims["scp"]?.string ?? "").split(separator: " ")
      guard words.count > 1 else { throw EndOfProbe(.notUsed("there is one scope only; see --scp")) }
      setScopes(words.joined(separator: ","), &token)
    },
  ]

  private static func setScopes(_ text: String?, _ token: inout TokenDraft) {
    for name in ["scp", "scope"] { token.claims[name] = text.map(JSON.string) }
  }

  private static let unknownRule = Rule.must("Claims that are not understood are ignored.", "RFC 7519, 4")
  private static let skewRule = Rule.should("An API allows for a little clock skew.", "RFC 7519, 4.1.4")

  private static let truths: [APICheck] = [
    t.accepts(
      "aud-one-of", "Token whose audiences are a list with this API",
      .must("aud is a string or a list.", "RFC 7519, 4.1.3")
    ) {
      $0.claims["aud"] = [$0.claims["aud"] ?? ""]
    },
    t.accepts("extra", "Token with unknown claims", unknownRule) { $0.claims["conform"] = ["a": [1, nil, "ü🙂"]] },
    t.accepts("long", "Token of 6 KiB", .should("Tokens of some KiB are usual.", "RFC 9068, 2.2")) { token in
      token.claims["groups"] = .array((0..<100).map { .string("00000000-0000-0000-0000-\(100_000_000_000 + $0)") })
    },
    t.accepts("skew-ahead", "Token of a clock 15 seconds ahead", skewRule) { $0.age(by: -15) },
    t.accepts(
      "skew-expired", "Token that expired 10 seconds ago", .may("An API may allow for clock skew.", "RFC 7519, 4.1.4")
    ) {
      $0.age(by: 3610)
    },
    t.accepts(
      "fraction", "Token with fractions of seconds", .should("A NumericDate may have a fraction.", "RFC 7519, 2")
    ) { token in
      for name in ["iat", "nbf"] {
        if let time = token.claims[name]?.lenientInteger { token.claims[name] = .number(Double(time) - 0.5) }
      }
    },
    t.accepts(
      "no-type", "Token without typ in its header",
      .may("RFC 9068 has at+jwt; other issuers leave it out.", "RFC 7519, 5.1")
    ) {
      $0.header["typ"] = nil
    },
    t.accepts("at-jwt", "Token with typ at+jwt", .should("The type of an access token is at+jwt.", "RFC 9068, 2.1")) {
      $0.header["typ"] = "at+jwt"
    },
    t.api(
      "new-key", "Token signed with a key that was published just now",
      .should("An API reads the JWKS again for an unknown kid.", "OpenID Connect Core 1.0, 10.1.1")
    ) {
      api in
      api.publishNextKey()
      let token = try api.token {
        $0.signature = .key(api.nextKey)
        $0.header["kid"] = .string(api.nextKey.keyID ?? "")
      }
      guard api.settings.token == nil else { throw EndOfProbe(.skipped("it needs a key of the provider")) }
      return .accepted(try await api.ask(bearer: token))
    },
  ]
}
