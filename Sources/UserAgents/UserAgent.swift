package import HostLoop

/// An agent that opens authorization URLs: a person's browser, or a program that stands in for one.
@HostActor
package protocol UserAgent: Sendable {
  /// Goes to the address and comes back with the one the user was redirected to, parameters included. The redirect URI
  /// itself is never requested.
  /// - Throws: `UserAgentError`, `HTTPError`, `CancellationError`, or what a callback threw.
  func open(_ request: NavigationRequest) async throws -> String
}
