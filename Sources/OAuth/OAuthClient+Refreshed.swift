package import Core
import HostLoop
import JOSE
package import JSON

extension OAuthClient {
  /// Validates the ID token that came with a refresh, by the rules of a sign-in, and that it goes on with that sign-in
  /// (OpenID Connect Core, 12.2).
  ///
  /// - Parameters:
  ///   - policy: whose metadata and keys count; nil for the default one.
  ///   - original: the claims of the ID token of the sign-in.
  ///   - accessToken: received with the ID token, compared with `at_hash` where there is one.
  /// - Returns: whether the signature was checked, too. False means that the provider's keys were not reached: the claims
  ///   are in order, and the access token may be used, but nobody should believe the ID token.
  package func validate(
    refreshed idToken: String, policy: String?, original: JSON, accessToken: Secret?
  ) async throws(OAuthError) -> Bool {
    let expected = IDTokenRule.Expectation(accessToken: accessToken?.reveal(), original: original)
    do {
      _ = try await validate(idToken, policy, expected)
      return true
    } catch  where error.stage == .metadata || error.code == "missing_endpoint" {
      let token: JWT
      do { token = try JWT(decoding: idToken) } catch { throw OAuthError(error) }
      let rule = IDTokenRule(
        issuer: original["iss"]?.string ?? "", clientID: try clientID(.validation), policy: policy, expected: expected,
        now: time(for: expected), clockDifference: clock.difference)
      try rule.check(token.claims, algorithm: token.header["alg"]?.string ?? "")
      return false
    }
  }
}
