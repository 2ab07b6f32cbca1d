import CCurlShims
package import HostLoop

/// Sends requests, over connections that all clients of the process share and use again.
///
/// An answer of any status is a response; `HTTPError` is for requests that got none. Certificates are always verified.
/// The proxy variables of the environment are honored, but never for this machine itself.
@HostActor
package final class HTTPClient {
  let configuration: HTTPClientConfiguration

  package nonisolated init(_ configuration: HTTPClientConfiguration = .init()) {
    self.configuration = configuration
  }

  /// Sends `request` and waits for the whole answer. Canceling the task ends the exchange.
  ///
  /// A request that may change something (any but GET, HEAD and OPTIONS) is sent once: when its connection breaks before
  /// the answer, the error says that it may have been received.
  package func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
    let engine = try CurlEngine.shared()
    engine.allow(connectionsPerHost: configuration.maximumConnectionsPerHost)
    guard request.followsRedirects else { return try await engine.exchange(request, request.timeout, configuration) }

    let clock = ContinuousClock()
    let start = clock.now
    var step = request
    var left = request.timeout
    for _ in 0...Redirect.maximum {
      let response: HTTPResponse
      do {
        response = try await engine.exchange(step, left, configuration)
      } catch {
        // The server has acted on the first step when a later one fails.
        throw step.url == request.url ? error : error.received()
      }
      guard let next = try Redirect.request(after: response, to: step) else { return response }
      step = next
      left = request.timeout - (clock.now - start) / .seconds(1)
      guard left > 0 else { throw HTTPError.timeout(request) }
    }
    throw HTTPError.tooManyRedirects(request)
  }
}
