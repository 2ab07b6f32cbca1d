package import Core
import JSON

/// A request to exchange tokens (RFC 8693, 2.1).
package struct TokenExchange: Sendable {
  package static let grantType = "urn:ietf:params:oauth:grant-type:token-exchange"
  /// The token types with short names (RFC 8693, 3).
  package static let typeNames = ["access_token", "refresh_token", "id_token", "jwt", "saml1", "saml2"]
  private static let typePrefix = "urn:ietf:params:oauth:token-type:"

  package var subjectToken: Secret
  /// A short name or a URI.
  package var subjectTokenType = "access_token"
  /// The token of the party that acts for the user (delegation); nil for impersonation.
  package var actorToken: Secret?
  package var actorTokenType: String?
  package var requestedTokenType: String?
  package var audience: String?
  package var resource: String?
  package var scopes: [String]?
  package var policy: String?
  package var binding = TokenBinding()

  package init(subjectToken: Secret) { self.subjectToken = subjectToken }

  /// The token request.
  /// - Throws: `invalid_parameter` for a token type that is neither a known name nor a URI, and for `actor_token_type` alone.
  package var request: TokenRequest {
    get throws(OAuthError) {
      guard actorToken != nil || actorTokenType == nil else {
        throw OAuthError(
          "invalid_parameter", .token, "actor_token_type is given without actor_token",
          hint: "give both for delegation, or none for impersonation")
      }
      var request = TokenRequest(grantType: Self.grantType, policy: policy, scopes: scopes)
      request.binding = binding
      request.parameters["subject_token"] = subjectToken.reveal()
      request.parameters["subject_token_type"] = try Self.uri(of: subjectTokenType, "subject_token_type")
      if let actorToken {
        request.parameters["actor_token"] = actorToken.reveal()
        request.parameters["actor_token_type"] = try Self.uri(of: actorTokenType ?? "access_token", "actor_token_type")
      }
      request.parameters["requested_token_type"] = try requestedTokenType.map { type throws(OAuthError) in
        try Self.uri(of: type, "requested_token_type")
      }
      request.parameters["audience"] = audience
      request.parameters["resource"] = resource
      return request
    }
  }

  /// The type of the token in the answer.
  /// - Throws: `malformed_response` for an answer without `issued_token_type` (RFC 8693, 2.2.1).
  package static func checkIssuedType(_ answer: TokenSet) throws(OAuthError) {
    guard answer.others["issued_token_type"]?.string?.isEmpty != false else { return }
    throw OAuthError(
      "malformed_response", .token,
      "the provider answered the token exchange without issued_token_type, so the kind of the token is unknown "
        + "(RFC 8693, 2.2.1)",
      hint: "the provider does not follow the standard; oauth.token sends the same request without this check")
  }

  private static func uri(of name: String, _ parameter: String) throws(OAuthError) -> String {
    if typeNames.contains(name) { return typePrefix + name }
    guard name.contains(":") else {
      throw OAuthError(
        "invalid_parameter", .token, "\(parameter): there is no token type \"\(name)\"",
        hint: nearestName(to: name, in: typeNames).map { "did you mean \"\($0)\"?" }
          ?? "use one of \(typeNames.joined(separator: ", ")), or a URN")
    }
    return name
  }
}

extension TokenSet {
  /// The type of a token that is no access token (RFC 8693, 2.2.1).
  package static let noType = "N_A"

  /// - Throws: `unsupported_token_type` for a token that is no access token, before the token is sent to an API.
  package static func checkUse(ofType type: String) throws(OAuthError) {
    guard type.uppercased() == noType else { return }
    throw OAuthError(
      "unsupported_token_type", .token,
      "the token is not an access token (token_type N_A), and must not be sent to an API (RFC 8693, 2.2.1)",
      hint: "ask oauth.exchange for requested_token_type = \"access_token\"")
  }
}
