import Core
import HostLoop
import JSON

/// A response to an authorization request in a JWT (JARM).
@HostActor
struct SignedResponse {
  private let provider: Provider

  init(_ provider: Provider) { self.provider = provider }

  /// The parameters of a redirect whose response is in a JWT (JARM, 2.4): signature, `iss`, `aud` and `exp` are checked.
  /// - Parameters:
  ///   - outer: the parameters of the redirect itself.
  ///   - state: compared in an error that came unsigned.
  func parameters(
    _ outer: [String: String], state: String?, policy: String?
  ) async throws(OAuthError) -> [String: String] {
    guard let response = outer["response"], !response.isEmpty else { throw Self.unsigned(outer, state) }
    let claims = try await IDTokenValidator(provider).validate(idToken: response, policy: policy, use: .jarm)
    var parameters: [String: String] = [:]
    for (name, value) in claims.object ?? [:] where !Self.claimsOfTheToken.contains(name) {
      let text = value.string ?? value.encoded()
      if SecretName.kind(name) != nil { Redaction.share(text) }
      parameters[name] = text
    }
    return parameters
  }

  /// The claims that protect the JWT, and are no parameters of the response.
  private static let claimsOfTheToken: Set<String> = ["iss", "aud", "exp", "iat", "nbf", "jti"]

  /// The error about a response that is not signed. It redeems nothing; an error in it is told as it is.
  private static func unsigned(_ outer: [String: String], _ state: String?) -> OAuthError {
    do throws(OAuthError) {
      _ = try AuthorizationResponse(parameters: outer, state: state)
      return OAuthError(
        "unsigned_response", .authorize,
        "the redirect has no signed response (the parameter response), which the request asked for (response_mode)",
        hint: "somebody may have forged it, or the provider does not know the response mode; sign in again",
        details: ["missing_parameter": "response"])
    } catch {
      var error = error
      guard outer["error"] != nil else { return error }
      error.details["missing_parameter"] = "response"
      let warning = "the redirect is not signed, as the request asked, so somebody may have forged it"
      error.hint = error.hint.map { "\($0); \(warning)" } ?? warning
      return error
    }
  }
}
