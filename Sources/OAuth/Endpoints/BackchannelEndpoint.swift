package import Core
package import HostLoop
import JOSE
import JSON
import Settings

/// The endpoint at which the provider asks the user on another device (CIBA Core, 7).
@HostActor
package struct BackchannelEndpoint: Sendable {
  private let provider: Provider

  package nonisolated init(_ provider: Provider) { self.provider = provider }

  /// Asks the provider to ask the user, in poll mode.
  /// - Throws: `invalid_parameter` unless exactly one hint names the user; `missing_endpoint`; the provider's error.
  package func authentication(
    _ request: BackchannelRequest
  ) async throws(OAuthError) -> BackchannelAuthentication {
    let policy = try provider.resolve(request.policy, .authorize)
    let fields = try request.fields(provider.settings.scopes)
    let message = try await provider.request(
      to: .backchannelAuthentication, "the backchannel authentication endpoint", policy, .authorize, fields: fields,
      hint: "Azure AD B2C and Microsoft Entra have no backchannel authentication (CIBA); sign in with another flow")
    return try BackchannelAuthentication(try await message.object().json, to: message)
  }

  /// Validates the ID token of a backchannel answer, whose user must be the user of `id_token_hint`.
  package func validate(
    backchannel tokens: TokenSet, to request: BackchannelRequest
  ) async throws(OAuthError) {
    let policy = try provider.resolve(request.policy, .validation)
    let claims = try await IDTokenValidator(provider).claims(of: tokens, policy: policy, nonce: nil, maxAge: nil)
    guard let hint = request.idTokenHint, let expected = (try? JWT(decoding: hint.reveal()))?.claims["sub"]?.string,
      let actual = claims["sub"]?.string, actual != expected
    else { return }
    throw .mismatch(
      "subject_mismatch", .validation, "the ID token is for another user than id_token_hint (sub)",
      expected: "\"\(expected)\"", actual: "\"\(actual)\"", hint: "the tokens were not used; tell the provider")
  }
}

/// A request to ask the user on another device (CIBA Core, 7.1).
package struct BackchannelRequest: Sendable {
  /// Who is asked: exactly one of the three.
  package var loginHint: String?
  package var idTokenHint: Secret?
  package var loginHintToken: Secret?
  package var scopes: [String]?
  /// The text that both devices show.
  package var bindingMessage: String?
  package var acrValues: String?
  /// The lifetime of the request in seconds.
  package var requestedExpiry: Int?
  /// A secret that only the user knows, at providers that want it.
  package var userCode: Secret?
  package var policy: String?

  package init() {}

  fileprivate func fields(_ standardScopes: [String]) throws(OAuthError) -> [(String, String)] {
    let hints = [
      ("login_hint", loginHint), ("id_token_hint", idTokenHint?.reveal()),
      ("login_hint_token", loginHintToken?.reveal()),
    ].compactMap { name, value in value.map { (name, $0) } }
    guard hints.count == 1 else {
      throw OAuthError(
        "invalid_parameter", .authorize,
        hints.isEmpty
          ? "the backchannel request names no user"
          : "the backchannel request names the user \(hints.count) times: \(hints.map(\.0).joined(separator: ", "))",
        hint: "give exactly one of login_hint, id_token_hint and login_hint_token")
    }
    let scopes = scopes ?? standardScopes
    let others: [(String, String?)] = [
      ("scope", scopes.isEmpty ? nil : scopes.joined(separator: " ")), ("binding_message", bindingMessage),
      ("acr_values", acrValues), ("requested_expiry", requestedExpiry.map(String.init)),
      ("user_code", userCode?.reveal()),
    ]
    return hints + others.compactMap { name, value in value.map { (name, $0) } }
  }
}

/// A request that waits for the user's answer (CIBA Core, 7.3).
package struct BackchannelAuthentication: Sendable {
  package static let grantType = "urn:openid:params:grant-type:ciba"

  /// The name of the request at the token endpoint.
  package let requestID: Secret
  package let polling: Polling

  @HostActor init(_ json: JSON, to request: EndpointRequest) throws(OAuthError) {
    guard let id = json["auth_req_id"]?.string, !id.isEmpty else {
      throw request.malformed("answered without auth_req_id")
    }
    guard let lifetime = json["expires_in"]?.lenientInteger, lifetime > 0 else {
      throw request.malformed("answered without expires_in, a number above 0")
    }
    requestID = Secret(id)
    polling = Polling(interval: json["interval"]?.lenientInteger.map { Int($0) }, expiresIn: Int(lifetime))
  }

  /// The token request of each poll.
  package func tokenRequest(policy: String?) -> TokenRequest {
    TokenRequest(grantType: Self.grantType, parameters: ["auth_req_id": requestID.reveal()], policy: policy)
  }
}
