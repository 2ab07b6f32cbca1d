import HTTPClient
package import HostLoop
import JSON
import Settings

/// The endpoint that takes an authorization request before the browser opens (RFC 9126).
@HostActor
package struct PushedRequestEndpoint: Sendable {
  private let provider: Provider

  package nonisolated init(_ provider: Provider) { self.provider = provider }

  /// Sends an authorization request to the provider.
  /// - Throws: `missing_endpoint` where the provider has no endpoint for it; the provider's error about the request.
  package func push(_ request: AuthorizationRequest) async throws(OAuthError) -> PushedRequest {
    let policy = try provider.resolve(request.policy, .authorize)
    let profile = ProfileChecks(provider)
    try await profile.check(.authorize, policy: policy)
    try await profile.check(request, isPushed: true)
    var message = try await provider.request(
      to: .pushedRequest, "the endpoint for pushed authorization requests", policy, .authorize, fields: [],
      hint: "sign in without par; Azure AD B2C and Microsoft Entra have no pushed authorization requests")
    if let object = try await RequestObject(provider).text(for: request, policy) {
      message.fields = [("client_id", try provider.clientID(.authorize)), ("request", object)]
    } else {
      message.fields = try AuthorizationEndpoint(provider).fields(of: request)
    }
    let (json, response) = try await message.object()
    let pushed = try PushedRequest(json, status: response.status, to: message)
    try profile.check(pushed)
    return pushed
  }

  /// True if the request asks for it, or the metadata document in memory says that the provider takes no other.
  func takes(_ request: AuthorizationRequest, _ policy: String?) -> Bool {
    request.isPushed
      ?? (provider.settings.followsFAPI2 || provider.knownMetadata(policy)?.requiresPushedRequests ?? false)
  }
}

/// An authorization request that the provider keeps (RFC 9126, 2.2).
package struct PushedRequest: Sendable {
  /// The name of the request, for the authorization URL.
  package let requestURI: String
  /// The lifetime in seconds.
  package let expiresIn: Int64

  /// - Throws: `malformed_response` for a status other than 201, without `request_uri`, and without a lifetime.
  @HostActor init(_ json: JSON, status: Int, to request: EndpointRequest) throws(OAuthError) {
    func malformed(_ what: String) -> OAuthError {
      request.malformed(
        "answered \(what) (RFC 9126, 2.2)",
        hint: "the provider does not follow the standard; sign in with par = false", status: status)
    }
    guard status == 201 else { throw malformed("\(status), and a pushed request is answered with 201") }
    guard let uri = json["request_uri"]?.string, !uri.isEmpty else { throw malformed("without a request_uri") }
    guard let lifetime = json["expires_in"]?.lenientInteger else { throw malformed("without expires_in, a number") }
    guard lifetime > 0 else { throw malformed("with expires_in \(lifetime), so the request is expired already") }
    requestURI = uri
    expiresIn = lifetime
  }
}
