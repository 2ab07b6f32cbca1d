package import HTTPClient
package import HostLoop

/// A browser without a window and without scripts: it follows redirects, keeps cookies, and fills and submits forms.
@HostActor
package final class HeadlessAgent: UserAgent {
  private let http: HTTPClient

  package init(http: HTTPClient) {
    self.http = http
  }

  /// Fills each page with the request's user name and password, or lets `onPage` do it.
  package func open(_ request: NavigationRequest) async throws -> String {
    let trip = HeadlessTrip(request, http)
    return try await trip.run()
  }
}
