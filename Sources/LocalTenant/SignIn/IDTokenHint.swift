import JOSE
import JSON

/// `id_token_hint` (OpenID Connect Core §3.1.2.1): an ID token that names the user whose session the client expects.
enum IDTokenHint {
  /// The user of the ID token; nil if the request has no `id_token_hint`.
  static func user(
    _ request: AuthorizationRequest, _ directory: DirectoryStore, _ keys: KeyRing, _ clock: TenantClock
  ) throws -> User? {
    guard let text = request.parameters["id_token_hint"] else { return nil }
    guard let claims = try claims(text, keys) else { throw ProtocolError(90210) }
    guard claims["aud"]?.string == request.client.id else {
      throw ProtocolError(
        90209,
        text: "The provided id_token_hint parameter does not contain an accepted audience. Valid audience values: "
          + "'\(request.client.id)'. Please provide another token and try again.")
    }
    guard clock.elapsed < TenantClock.expiry(claims) else { throw ProtocolError(90208) }
    guard let user = try claims["sub"]?.string.flatMap({ try directory.user(id: $0) }) else {
      throw ProtocolError(
        90210, text: "The provided id_token_hint parameter could not be validated: its user no longer exists.")
    }
    return user
  }

  /// The claims of an ID token of this tenant, which may be expired; nil if the text is not such a token.
  static func claims(_ text: String, _ keys: KeyRing) throws -> JSON? {
    do {
      // Access tokens have the claim `azp`; ID tokens do not.
      guard let claims = try keys.verify(text), claims["azp"] == nil else { return nil }
      return claims
    } catch is JOSEError, is JSONError { return nil }
  }
}
