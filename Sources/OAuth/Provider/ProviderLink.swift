import HTTPClient
package import HostLoop

/// The link that each step of a sign-in passes between the program and the provider. This one changes nothing;
/// `DeviationRun` is a link that makes mistakes.
@HostActor
package class ProviderLink {
  nonisolated init() {}

  /// Changes the parameters of an authorization request.
  func changed(_ fields: [(String, String)]) -> [(String, String)] { fields }

  /// True if the authorization URL is opened a second time, after it has led to a redirect.
  package func reopens(_ url: String) -> Bool { false }

  /// Gets the redirect, before the client checks it.
  func redirected(to url: String) {}

  /// Changes the message of a form before it is sent to its endpoint.
  func changed(_ message: HTTPRequest, _ request: EndpointRequest) async throws(OAuthError) -> HTTPRequest { message }

  /// Gets the answer to a message, before the client reads it.
  func answered(_ response: HTTPResponse, _ request: EndpointRequest) async {}
}
