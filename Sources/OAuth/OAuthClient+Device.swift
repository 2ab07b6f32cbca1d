import HostLoop
import JSON
import Settings

extension OAuthClient {
  /// Begins a sign-in on another device (RFC 8628, 3.1).
  ///
  /// - Parameters:
  ///   - policy: a policy, or its name in `settings.policies`; nil for the default one.
  ///   - scopes: nil for those of the settings.
  /// - Throws: `missing_endpoint` where the provider has no device flow, as Azure AD B2C has none.
  package func deviceAuthorization(
    policy: String? = nil, scopes: [String]? = nil
  ) async throws(OAuthError) -> DeviceAuthorization {
    let policy = try resolve(policy, .authorize)
    let endpoint: String
    do {
      endpoint = try await self.endpoint(
        \.deviceAuthorizationEndpoint, nil, policy, .authorize, member: "device_authorization_endpoint")
    } catch var error where error.code == "missing_endpoint" {
      error.hint = "Azure AD B2C has no device flow, Microsoft Entra External ID has; sign in with another flow"
      throw error
    }
    let methods = try await metadata(policy: policy).tokenEndpointAuthMethods
    let asked = scopes ?? settings.scopes
    let request = EndpointRequest(
      name: "the device endpoint", url: endpoint, stage: .authorize, methods: methods,
      fields: asked.isEmpty ? [] : [("scope", asked.joined(separator: " "))], hint: nil)
    return try DeviceAuthorization(try await object(request).json, from: endpoint)
  }
}
