import Core
import HostLoop
package import JSON
import Settings

/// The user of a token response.
extension IDTokenValidator {
  /// The claims that say who signed in: those of the validated ID token. Without an ID token, the script may say who it
  /// is (`TokenSet.givenSubject`). With client credentials (RFC 6749, 4.4) there is no ID token, and the application is
  /// the subject. `nonce` and `maxAge` are those of the authorization request.
  /// - Parameter acrValues: the kinds of sign-in of which a resource demands one (RFC 9470); nil for any.
  /// - Throws: `missing_id_token`, or why the ID token is not valid; the stage is `validation`.
  package func claims(
    of tokens: TokenSet, policy: String?, nonce: String?, maxAge: Int?, acrValues: [String]? = nil
  ) async throws(OAuthError) -> JSON {
    do throws(OAuthError) {
      if let idToken = tokens.idToken?.reveal() {
        let claims = try await validate(
          idToken: idToken, policy: policy, nonce: nonce, maxAge: maxAge, accessToken: tokens.accessToken)
        try compare(claims, tokens.givenSubject)
        try check(claims, acrValues)
        return claims
      }
      guard acrValues == nil else {
        throw OAuthError(
          "missing_id_token", .validation,
          "the token response has no ID token, so nobody knows how the user signed in (acr)",
          hint: "request the scope openid")
      }
      if let subject = tokens.givenSubject {
        let issuer = try? await provider.metadata(policy: policy).issuer
        return [
          "iss": .string(issuer ?? provider.settings.issuer ?? provider.settings.tokenURL ?? ""),
          "sub": .string(subject),
          "name": .string(subject),
        ]
      }
      guard tokens.grantType == "client_credentials" else {
        throw OAuthError(
          "missing_id_token", .validation, "the token response has no ID token, so the user is unknown",
          hint: "request the scope openid; if the provider gives no ID token, give the option subject")
      }
      let clientID = try provider.clientID(.validation)
      let issuer = try await provider.metadata(policy: policy).issuer
      return ["iss": .string(issuer), "sub": .string(clientID), "name": .string(clientID)]
    } catch {
      var error = error
      error.stage = .validation
      throw error
    }
  }

  /// Checks that the ID token is about the user whom the script names.
  private func compare(_ claims: JSON, _ given: String?) throws(OAuthError) {
    guard let given, let actual = claims["sub"]?.string, actual != given else { return }
    throw .mismatch(
      "subject_mismatch", .validation, "another user than the given one has signed in (sub)", expected: "\"\(given)\"",
      actual: "\"\(actual)\"", hint: "leave out subject: the ID token says who signed in")
  }

  /// Checks that the user signed in as a resource demands.
  private func check(_ claims: JSON, _ acrValues: [String]?) throws(OAuthError) {
    guard let acrValues, !acrValues.isEmpty else { return }
    let actual = claims["acr"]?.string
    guard !acrValues.contains(where: { $0 == actual }) else { return }
    throw .mismatch(
      "authentication_class_mismatch", .validation, "the user signed in in another way than the resource demands (acr)",
      expected: acrValues.map { "\"\($0)\"" }.joined(separator: " or "), actual: actual.map { "\"\($0)\"" } ?? "none",
      hint: "the provider does not know acr_values, or the user cannot sign in in this way")
  }
}
