import Conform
import Core
import Crypto
import JOSE
import JSON

/// Signatures and kinds of tokens.
extension APICheck {
  static let signatureChecks: [APICheck] = signatures + headers + kinds

  private static let s = Topic.apiSignature
  private static let k = Topic.apiTokens
  private static let rule = Rule.must("An API verifies the signature of an access token.", "RFC 9068, 4")
  private static let keyRule = Rule.must("An API trusts the keys of the issuer only.", "RFC 8725, 3.10")

  private static let signatures: [APICheck] = [
    s.refuses("removed", "Token without its signature", rule) { token, _ in token.signature = .removed },
    s.refuses("cut", "Token without its last part", rule) { token, _ in
      token.signature = .removed
      token.dropLastPart()
    },
    s.refuses("other-key", "Token signed with another key, under the right kid", rule) { token, _ in
      token.signature = .other
    },
    s.refuses("other-kid", "Token signed with another key, under an unknown kid", rule) { token, _ in
      token.signature = .other
      token.header["kid"] = "conform-unknown"
    },
    s.refuses("no-kid", "Token signed with another key, without kid", rule) { token, _ in
      token.signature = .other
      token.header["kid"] = nil
    },
    s.refuses("other-claims", "Token with the signature of other claims", rule) { token, _ in
      token.signature = .ofOtherClaims
    },
    s.refuses("changed", "Token with a changed signature", rule) { token, _ in
      // The signature of another key has the right length.
      token.signature = .other
      token.reverseSignature()
    },
    s.refuses("none", "Token with alg none", rule) { token, _ in token.signature = .none("none") },
    s.refuses("none-case", "Token with alg nOnE", rule) { token, _ in token.signature = .none("nOnE") },
    s.refuses("none-signed", "Token with alg none and a signature", rule) { token, _ in
      token.addSignatureToNone()
    },
    s.refuses(
      "hmac-pem", "Token with a MAC by the public key as PEM", .must("A public key is not secret.", "RFC 8725, 2.1")
    ) {
      token, tenant in token.signature = .secret(Array(try tenant.keys.own.publicPEM().utf8))
    },
    s.refuses(
      "hmac-jwk", "Token with a MAC by the public key as JSON", .must("A public key is not secret.", "RFC 8725, 2.1")
    ) {
      token, tenant in
      token.signature = .secret(Array(JSON.object(try TenantKeys.published(tenant.keys.own)).encoded().utf8))
    },
    s.refuses("hmac-empty", "Token with a MAC by an empty secret", .must("A MAC needs a secret.", "RFC 8725, 3.5")) {
      token, _ in token.signature = .secret([])
    },
    s.refuses(
      "hmac-word", "Token with a MAC by the word secret",
      .must("A MAC needs a secret that cannot be guessed.", "RFC 8725, 3.5")
    ) {
      token, _ in token.signature = .secret(Array("secret".utf8))
    },
    s.refuses("alg-unknown", "Token with an unknown alg", rule) { token, _ in token.signature = .none("XS256") },
    s.refuses("alg-missing", "Token without alg", rule) { token, _ in
      token.signature = .removed
      token.header["alg"] = nil
    },
  ]

  private static let headers: [APICheck] = [
    s.refuses("jwk", "Token that brings its own key (jwk)", keyRule) { token, tenant in
      try token.bringKey(tenant.keys)
    },
    s.refuses("jku", "Token that names the address of its keys (jku)", keyRule) { token, tenant in
      token.header["jku"] = .string("\(tenant.otherOrigin)/keys")
      token.header["kid"] = .string(tenant.keys.other.keyID ?? "")
      token.signature = .other
    },
    s.refuses("x5u", "Token that names the address of its certificate (x5u)", keyRule) { token, tenant in
      token.header["x5u"] = .string("\(tenant.otherOrigin)/keys")
      token.signature = .other
    },
    s.refuses("kid-path", "Token whose kid is a path, with a MAC by nothing", keyRule) { token, _ in
      token.header["kid"] = "../../../../dev/null"
      token.signature = .secret([])
    },
    s.refuses("kid-query", "Token whose kid has a quote, with another key", keyRule) { token, _ in
      token.header["kid"] = "' UNION SELECT 'secret' --"
      token.signature = .other
    },
    s.refuses(
      "crit", "Token with an unknown critical member",
      .must("An unknown member of crit makes a token invalid.", "RFC 7515, 4.1.11")
    ) {
      token, _ in
      token.addCriticalMember()
    },
  ]

  private static let kinds: [APICheck] = [
    k.refuses(
      "id-token", "ID token", .must("An ID token is for the client, not for an API.", "OpenID Connect Core 1.0, 2")
    ) {
      token, _ in
      token.claims["aud"] = token.claims["azp"]
      token.claims["nonce"] = "conform"
      for name in ["scp", "scope"] { token.claims[name] = nil }
    },
    k.refuses(
      "logout-token", "Logout token for this API",
      .should("A logout token is not an access token.", "OpenID Connect Back-Channel Logout 1.0, 2.4")
    ) {
      token, _ in
      token.header["typ"] = "logout+jwt"
      token.claims["events"] = ["http://schemas.openid.net/event/backchannel-logout": [:]]
    },
    literal("refresh-token", "Refresh token", "conform-opaque-refresh-token-\(SecureRandom.token())"),
    literal("word", "Word that is not a token", "conform"),
    literal("dots", "Two dots", ".."),
    literal("null", "The word null", "null"),
    literal("undefined", "The word undefined", "undefined"),
    k.api("five-parts", "Token of five parts", .must("An API refuses what it cannot verify.", "RFC 6750, 3.1")) { api in
      let part = Base64URL.encode(#"{"alg":"dir","enc":"A128GCM"}"#.utf8)
      return .refused(try await api.ask(bearer: "\(part)..AAAAAAAAAAAAAAAA.AAAA.AAAAAAAAAAAAAAAAAAAAAA"))
    },
  ]

  private static func literal(_ name: String, _ title: String, _ text: String) -> APICheck {
    k.api(name, "\(title) as access token", .must("An API refuses what it cannot verify.", "RFC 6750, 3.1")) { api in
      .refused(try await api.ask(bearer: text))
    }
  }
}
