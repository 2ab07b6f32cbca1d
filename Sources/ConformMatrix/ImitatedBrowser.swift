package import Core
package import HTTPClient
package import HostLoop
import UserAgents

/// The browser of the user: it signs in at the tenant, and stops at the redirect to the client.
@HostActor
package struct ImitatedBrowser {
  private struct Arrival: Error { let url: String }

  private let http: HTTPClient

  package init(http: HTTPClient) { self.http = http }

  /// The parameters of the redirect; nil if the way ends at a page.
  package func open(
    _ url: String, redirectURI: String, username: String, password: Secret
  ) async throws -> [(String, String)]? {
    var trip = NavigationRequest(
      url: url, redirectURI: redirectURI, timeout: 30, username: username, password: password)
    trip.cookies = CookieJar()
    trip.answer.state = nil
    trip.onNavigate = { url, _ in
      if WebAddress(url).base == WebAddress(redirectURI).base { throw Arrival(url: url) }
      return .show
    }
    do {
      return Self.fields(try await HeadlessAgent(http: http).open(trip))
    } catch let arrival as Arrival {
      return Self.fields(arrival.url)
    } catch is UserAgentError {
      return nil
    }
  }

  private static func fields(_ url: String) -> [(String, String)] {
    WebAddress(url).parameters.map { ($0.name, $0.value ?? "") }
  }
}
