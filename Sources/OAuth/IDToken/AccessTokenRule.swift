import JOSE
package import JSON
import Settings

/// The check of an access token by the API that it is for.
extension IDTokenValidator {
  /// Validates an access token for this application as an API and returns its claims: signature, issuer, audience, times, and that
  /// it is neither an ID token nor another token of the provider.
  package func validate(accessToken: String) async throws(OAuthError) -> JSON {
    let claims = try await validate(idToken: accessToken, use: .jwt)
    let type = (try? JWT(decoding: accessToken))?.header["typ"]?.string
    guard AccessTokenRule(isOfMicrosoft: provider.settings.isMicrosoft).admits(type: type, claims) else {
      throw OAuthError(
        "malformed_token", .validation, "expected an access token, got another token (typ, claims)",
        hint: "send the access token of the token response, not the ID token")
    }
    return claims
  }
}

/// The rule that separates access tokens from the other tokens that a provider signs for an application. Anybody who saw one of
/// the others could send it.
struct AccessTokenRule {
  /// Azure AD B2C and Entra: their access tokens have the type JWT, as their ID tokens have, and name the client.
  let isOfMicrosoft: Bool

  /// - Parameter type: `typ` of the header.
  func admits(type: String?, _ claims: JSON) -> Bool {
    // An ID token of a refresh has no nonce. A token that is bound to a key (`cnf`) is of no use without the proof of the key,
    // which a `Bearer` does not bring (RFC 9449, 7.2; RFC 8705, 3).
    guard ["nonce", "at_hash", "c_hash", "s_hash", "events", "cnf"].allSatisfy({ claims[$0] == nil }) else {
      return false
    }
    // Keycloak and Amazon Cognito write the kind of a token into a claim.
    if claims["typ"]?.string?.lowercased() == "id" || claims["token_use"].map({ $0 != "access" }) == true {
      return false
    }
    switch Self.mediaType(type) {
    case "at+jwt": return true
    case nil, "jwt": return isOfMicrosoft ? namesClient(claims) : hasRights(claims)
    // A logout token, a security event, a proof, a request object.
    default: return false
    }
  }

  /// The type without `application/`, which may be left out (RFC 7515, 4.1.9).
  private static func mediaType(_ type: String?) -> String? {
    let type = type?.lowercased()
    return type?.hasPrefix("application/") == true ? type.map { String($0.dropFirst("application/".count)) } : type
  }

  /// ID tokens of Microsoft's platforms may have `roles`, but not the application that got them.
  private func namesClient(_ claims: JSON) -> Bool {
    ["azp", "appid"].contains { claims[$0] != nil } || claims["scp"] != nil
  }

  /// A provider without RFC 9068 has scopes in an access token, or names a client. ID tokens of some have `azp`, too: it is their
  /// audience.
  private func hasRights(_ claims: JSON) -> Bool {
    if ["scope", "scp", "client_id", "cid", "appid"].contains(where: { claims[$0] != nil }) { return true }
    guard let party = claims["azp"]?.string else { return false }
    return claims["aud"]?.string != party && claims["aud"]?.array?.contains(.string(party)) != true
  }
}
