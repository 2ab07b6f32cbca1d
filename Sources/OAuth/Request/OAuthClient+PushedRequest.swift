import HTTPClient
import HostLoop
import JSON

extension OAuthClient {
  /// Sends an authorization request to the provider before the browser opens (RFC 9126).
  /// - Throws: `missing_endpoint` where the provider has no endpoint for it; the provider's error about the request.
  package func pushedRequest(_ request: AuthorizationRequest) async throws(OAuthError) -> PushedRequest {
    let policy = try resolve(request.policy, .authorize)
    try await checkProfile(.authorize, policy: policy)
    try await checkProfile(request, isPushed: true)
    let endpoint: String
    do {
      endpoint = try await self.endpoint(.pushedRequest, setting: nil, policy, .authorize)
    } catch var error where error.code == "missing_endpoint" {
      error.hint = "sign in without par; Azure AD B2C and Microsoft Entra have no pushed authorization requests"
      throw error
    }
    var fields = try fields(of: request)
    if let object = try await requestObject(for: request, policy) {
      fields = [("client_id", try clientID(.authorize)), ("request", object)]
    }
    let message = EndpointRequest(
      name: "the endpoint for pushed authorization requests", url: endpoint, stage: .authorize,
      methods: try await metadata(policy: policy).tokenEndpointAuthMethods, fields: fields,
      policy: policy)
    let (json, response) = try await object(message)
    let pushed = try PushedRequest(json, response, to: message)
    try checkProfile(pushed)
    return pushed
  }

  /// True if the request asks for it, or the metadata document in memory says that the provider takes no other.
  func isPushed(_ request: AuthorizationRequest, _ policy: String?) -> Bool {
    request.isPushed ?? (pushesByProfile || knownMetadata(policy)?.requiresPushedRequests ?? false)
  }
}
