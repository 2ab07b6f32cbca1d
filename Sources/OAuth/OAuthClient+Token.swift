import HTTPClient
import HostLoop
import JSON
import Settings

extension OAuthClient {
  /// Sends a token request (RFC 6749, 3.2).
  ///
  /// - Throws: the provider's error, whatever status it came with; `malformed_response` for what is no token response;
  ///   `unsupported_token_type` for a token of a type that cannot be used here; `missing_access_token` when the answer
  ///   has neither an access token nor an ID token.
  package func token(_ request: TokenRequest) async throws(OAuthError) -> TokenResponse {
    let policy = try resolve(request.policy, request.stage)
    let clientID = try clientID(request.stage)
    let endpoint: String
    var methods: [String]?
    if let url = settings.tokenEndpoint(policy: policy) {
      endpoint = url
      methods = await clientAuthenticationMethods(policy)
    } else {
      endpoint = try await self.endpoint(\.tokenEndpoint, "tokenURL", policy, request.stage)
      methods = try await metadata(policy: policy).tokenEndpointAuthMethods
    }
    var fields = [("grant_type", request.grantType)]
    fields += request.parameters.sorted { $0.key < $1.key }.filter { $0.key != "grant_type" }
    if let scopes = request.scopes, !scopes.isEmpty, request.parameters["scope"] == nil {
      fields.append(("scope", scopes.joined(separator: " ")))
    }
    let message = EndpointRequest(
      name: "the token endpoint", url: endpoint, stage: request.stage, methods: methods, fields: fields,
      hint: "check tokenURL and policies in the settings")
    let (json, response) = try await object(message)
    var tokens = TokenResponse(
      json, requestedScopes: request.scopes ?? [], receivedAt: now(), defaultTokenType: settings.tokenType)
    tokens.serverDate = response.date
    guard tokens.accessToken != nil || tokens.idToken != nil else {
      throw TokenResponse.noAccessToken(request.scopes ?? [], clientID)
    }
    try check(&tokens, request.stage)
    return tokens
  }

  /// The ways to authenticate at a token endpoint that the settings name. The metadata document is asked only where its
  /// answer decides: a secret is to be sent, the settings do not say how, and the provider is not Azure AD B2C.
  /// - Returns: nil where no document tells.
  private func clientAuthenticationMethods(_ policy: String?) async -> [String]? {
    guard settings.clientSecret != nil, settings.clientAuthentication == nil, !settings.namesPolicies,
      settings.metadataURL(policy: policy) != nil
    else { return nil }
    return try? await metadata(policy: policy).tokenEndpointAuthMethods
  }

  /// Refuses types other than the one the settings name (RFC 6749, 7.1), whose name comes in any letter case.
  private func check(_ tokens: inout TokenResponse, _ stage: OAuthError.Stage) throws(OAuthError) {
    guard tokens.accessToken != nil else { return }
    let type = settings.tokenType
    guard tokens.tokenType.lowercased() == type.lowercased() else {
      throw .mismatch(
        "unsupported_token_type", stage, "the provider gave an access token that cannot be used here (token_type)",
        expected: "\"\(type)\"", actual: "\"\(tokens.tokenType)\"",
        hint:
          "register the application for bearer tokens; DPoP and mac tokens need proofs that this program does not make")
    }
    tokens.tokenType = type
  }
}
