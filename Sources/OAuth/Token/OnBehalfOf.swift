package import Core

extension TokenRequest {
  /// Exchanges the access token that an API was called with for a token for the next API, in the name of the same user: the
  /// grant of Microsoft Entra.
  package static func onBehalfOf(
    _ assertion: Secret, policy: String? = nil, scopes: [String]? = nil
  ) -> TokenRequest {
    TokenRequest(
      grantType: "urn:ietf:params:oauth:grant-type:jwt-bearer",
      parameters: ["assertion": assertion.reveal(), "requested_token_use": "on_behalf_of"], policy: policy,
      scopes: scopes)
  }
}
