import HTTPClient
package import HostLoop
package import JSON
import Settings

/// Native authentication: a program asks for the user name, the password and codes itself, without a browser.
@HostActor
package struct NativeAuthentication: Sendable {
  private let provider: Provider
  private var settings: Settings { provider.settings }

  package nonisolated init(_ provider: Provider) { self.provider = provider }

  /// Sends one request.
  ///
  /// - Parameter parameters: the parameters besides `client_id`; `challenge_type` may be left out.
  /// - Returns: the answer, whose `continuation_token` the next request needs. The answers `credential_required` and
  ///   `attributes_required` to a sign-up are among them: they say what the next request has to bring.
  /// - Throws: `not_external_id` before any request; `redirect` if the provider wants a browser; the provider's error,
  ///   whose code is its `suberror` if it has one; `malformed_response`.
  package func send(_ endpoint: NativeEndpoint, _ parameters: [String: String]) async throws(OAuthError) -> JSON {
    try require()
    guard let url = settings.externalIDAddress(endpoint.path) else {
      throw OAuthError(
        "missing_endpoint", .token, "\(settings.source) does not tell where the tenant is",
        hint: "put authority into the settings, such as https://contoso.ciamlogin.com/contoso.onmicrosoft.com")
    }
    var fields = parameters
    if let types = endpoint.challengeTypes, fields["challenge_type"] == nil { fields["challenge_type"] = types }
    let request = EndpointRequest(
      provider: provider, name: "the native endpoint", url: url, stage: .token, methods: nil,
      fields: fields.sorted { $0.key < $1.key }, hint: "check authority and kind in the settings")
    let response = try await request.send()
    let json = response.json
    let hasToken = json?["continuation_token"]?.string?.isEmpty == false
    if let json, hasToken, response.status == 400, let error = json["error"]?.string,
      ["credential_required", "attributes_required"].contains(error)
    {
      return json
    }
    guard response.status == 200, let json, json.object != nil, json["error"] ?? .null == .null else {
      throw NativeError.explained(request.failure(response))
    }
    if let refusal = NativeError.redirect(json) { throw refusal }
    guard hasToken else {
      throw request.malformed(
        "answered without a continuation_token, which the next request needs",
        hint: "check authority and kind in the settings", status: response.status)
    }
    return json
  }

  /// - Throws: `not_external_id` unless the settings lead to External ID; `unsupported_client_authentication` for a client
  ///   with a secret, which Entra refuses there.
  func require() throws(OAuthError) {
    guard settings.isExternalID else {
      throw OAuthError(
        "not_external_id", .token,
        "native authentication needs Microsoft Entra External ID, and \(settings.source) does not lead to it",
        hint: "sign in with flow = \"authorization_code\", or set kind to external_id if the provider is External ID")
    }
    guard settings.clientSecret == nil else {
      throw OAuthError(
        "unsupported_client_authentication", .token,
        "native authentication is for public clients, and \(settings.source) has a clientSecret",
        hint: "use an application without a secret that allows native authentication")
    }
  }
}
