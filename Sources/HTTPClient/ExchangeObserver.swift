package import HostLoop

/// Told of every exchange of a client: of each request that goes out, also of those that follow a redirect, and of what
/// came of it.
@HostActor
package protocol ExchangeObserver: AnyObject, Sendable {
  /// Called before a request is sent.
  /// - Parameter request: its header fields may be changed; changes of anything else have no effect. A request that
  ///   follows a redirect begins without them.
  /// - Returns: what to call when the exchange is over; nil when nobody wants to know.
  func begin(_ request: inout HTTPRequest) async -> ExchangeEnd?
}

/// Gets the answer, or why there is none, and the seconds from the request to that.
package typealias ExchangeEnd = @HostActor (Result<HTTPResponse, HTTPError>, Double) async -> Void

extension HTTPClient {
  /// One request and its answer, if it may be sent; seen by the observer, if there is one.
  func exchange(
    _ request: HTTPRequest, _ timeout: Double, redirects: Int
  ) async throws(HTTPError) -> HTTPResponse {
    try admit(Origin(request.url))
    let engine = try CurlEngine.shared()
    engine.allow(connectionsPerHost: configuration.maximumConnectionsPerHost)
    guard let observer else {
      return try await recorded(request, timeout, redirects: redirects, by: engine)
    }
    var changed = request
    let end = await observer.begin(&changed)
    var sent = request
    sent.headers = changed.headers
    let start = HostLoop.uptime
    let result: Result<HTTPResponse, HTTPError>
    do {
      result = .success(try await recorded(sent, timeout, redirects: redirects, by: engine))
    } catch {
      result = .failure(error)
    }
    await end?(result, HostLoop.uptime - start)
    return try result.get()
  }
}
