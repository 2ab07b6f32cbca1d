import HTTPClient
package import HostLoop

/// The link that each step of a sign-in passes between the program and the provider. This one changes nothing;
/// `DeviationRun` is a link that makes mistakes.
@HostActor
package class ProviderLink {
  nonisolated init() {}

  /// Changes the parameters of an authorization request.
  func changed(_ fields: [(String, String)]) -> [(String, String)] { fields }

  /// Opens an authorization URL, and returns the redirect that answers it.
  package func open(_ url: String, _ open: @HostActor () async throws -> String) async throws -> String {
    try await open()
  }

  /// Takes the redirect, before the client checks it.
  func redirected(to url: String) {}

  /// Sends the message of a form to its endpoint.
  func send(
    _ message: HTTPRequest, _ request: EndpointRequest,
    _ send: @HostActor (HTTPRequest) async throws(OAuthError) -> HTTPResponse
  ) async throws(OAuthError) -> HTTPResponse { try await send(message) }
}
