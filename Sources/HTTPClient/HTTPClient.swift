import CCurlShims
package import HostLoop

/// Sends requests, over connections that all clients of the process share and use again.
///
/// An answer of any status is a response; `HTTPError` is for requests that got none. Certificates are always verified.
/// The proxy variables of the environment are honored, but never for this machine itself.
@HostActor
package final class HTTPClient {
  let configuration: HTTPClientConfiguration
  /// Asked before each request, those that follow a redirect included, whether it may go there.
  private let authorize: Authorize?
  /// Told of every exchange. While there is one, prepared requests take the ordinary way, which costs more.
  package var observer: (any ExchangeObserver)?
  /// Gets the record of every exchange; nil where none is kept.
  package var recorder: (any ExchangeRecorder)?

  /// Throws where no request may go to that origin.
  package typealias Authorize = @HostActor @Sendable (Origin) throws(HTTPError) -> Void

  /// - Parameter authorize: nil lets requests go anywhere.
  package nonisolated init(_ configuration: HTTPClientConfiguration = .init(), authorize: Authorize? = nil) {
    self.configuration = configuration
    self.authorize = authorize
  }

  /// Asks whether something of this client's, such as a browser, may go to an address.
  package func admit(url: String) throws(HTTPError) { try admit(Origin(url)) }

  /// Asks whether a request may go to where it is about to.
  func admit(_ origin: @autoclosure () -> Origin?) throws(HTTPError) {
    // What has no origin is no address to send anything to, and refused as that.
    guard let authorize, let origin = origin() else { return }
    try authorize(origin)
  }

  /// Sends `request` and waits for the whole answer. Canceling the task ends the exchange.
  ///
  /// A request that may change something (any but GET, HEAD and OPTIONS) is sent once: when its connection breaks before
  /// the answer, the error says that it may have been received.
  package func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
    guard request.followsRedirects else { return try await exchange(request, request.timeout, redirects: 0) }

    let clock = ContinuousClock()
    let start = clock.now
    var step = request
    var left = request.timeout
    for redirects in 0...Redirect.maximum {
      let response: HTTPResponse
      do {
        response = try await exchange(step, left, redirects: redirects)
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
