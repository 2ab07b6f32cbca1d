import HostLoop
import JOSE
import JSON
import OAuth
import Testing

/// Signed tokens that are no ID tokens: each has claims of its own that it must have.
@Suite struct TokenUseTests {
  private static let event: JSON = ["http://schemas.openid.net/event/backchannel-logout": [:]]
  private static let none: [String: JSON] = ["sub": .null, "nonce": .null, "iat": .null, "nbf": .null]

  @Test(
    arguments: [
      (.jarm, [:], "JWT", nil), (.jarm, [:], "oauth-authz-res+jwt", nil),
      (.jarm, ["exp": .null], "JWT", "the authorization response has no exp"),
      (
        .jarm, ["aud": "other"], "JWT",
        "the authorization response is for another application (aud): expected \"app\", got \"other\""
      ),
      (.jwt, [:], "at+jwt", nil), (.jwt, ["iss": "https://evil.example"], "JWT", "ISSUER"),
      (.idToken, [:], "JWT", "the ID token has no sub"), (.idToken, [:], "logout+jwt", "TYPE"),
      (.logoutToken, ["sub": "alice", "jti": "j", "iat": 1_700_000_000, "events": event], "logout+jwt", nil),
      (.logoutToken, ["sid": "s", "jti": "j", "iat": 1_700_000_000, "events": event, "exp": .null], "JWT", nil),
      (.logoutToken, ["jti": "j", "iat": 1_700_000_000, "events": event], "JWT", "the logout token has no sub"),
      (.logoutToken, ["sub": "alice", "iat": 1_700_000_000, "events": event], "JWT", "the logout token has no jti"),
      (.logoutToken, ["sub": "alice", "jti": "j", "events": event], "JWT", "the logout token has no iat"),
      (
        .logoutToken, ["sub": "alice", "jti": "j", "iat": 1_700_000_000], "JWT",
        "the logout token is about another event (events): expected \"http://schemas.openid.net/event/backchannel-logout\", got \"none\""
      ),
      (
        .logoutToken, ["sub": "alice", "jti": "j", "iat": 1_700_000_000, "events": event, "nonce": "n"], "JWT",
        "the logout token has a nonce, which it must not have"
      ),
      (.introspection, ["iat": 1_700_000_000, "exp": .null], "token-introspection+jwt", nil),
      (.introspection, ["exp": .null], "token-introspection+jwt", "the introspection response has no iat"),
      (
        .introspection, ["iat": 1_700_000_000], "at+jwt",
        "the token is no introspection response (typ): expected \"token-introspection+jwt\", got \"at+jwt\""
      ),
      (.userinfo, ["sub": "alice", "exp": .null], "JWT", nil),
      (.userinfo, ["exp": .null], "JWT", "the userinfo response has no sub"),
    ] as [(TokenUse, [String: JSON], String, String?)])
  @HostActor func needsItsOwnClaims(
    _ use: TokenUse, _ changes: [String: JSON], _ type: String, _ message: String?
  ) async throws {
    let provider = try Provider()
    let token = try provider.idToken(Self.none.merging(changes) { $1 }, header: ["typ": .string(type)])
    let error = await oauthError {
      _ = try await IDTokenValidator(provider.client()).validate(idToken: token, use: use)
    }
    let expected = message.map {
      switch $0 {
      case "ISSUER":
        "the JWT is from another issuer (iss): expected \"\(provider.issuer)\", got \"https://evil.example\""
      case "TYPE": "the token is no ID token (typ): expected \"JWT\", got \"logout+jwt\""
      default: $0
      }
    }
    #expect(error?.message == expected)
  }

  /// Anyone can sign for this key, so the key counts as missing, and the error gives the reason.
  @Test @HostActor func aKeyThatProvesNothing() async throws {
    let provider = try Provider()
    let token = try provider.idToken()
    let key = try #require(Provider.key).publicKey.json.object ?? [:]
    provider.answer("/keys", JSON.object(["keys": [.object(key.merging(["e": "AQ"]) { $1 })]]).encoded())
    let error = await oauthError {
      _ = try await IDTokenValidator(provider.client()).validate(idToken: token, nonce: "n-1")
    }
    #expect(error?.code == "invalid_key")
    #expect(
      error?.message == "the ID token is signed by the key \"key-1\" of \(provider.issuer), which cannot be used: "
        + "the RSA key's exponent (e) is 1, which makes no signature; it must be odd and at least 3")
  }
}
