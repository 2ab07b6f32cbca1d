import CCurlShims
package import HostLoop

/// Sends requests over connections that all clients of the process share. Certificates are always verified. An answer
/// of any status is a response. The environment's proxy variables count, but never for this machine itself.
@HostActor
package final class HTTPClient {
  let configuration: HTTPClientConfiguration
  /// The events that requests are told to: `OutgoingRequest` and `RecordedExchange`.
  package nonisolated let events: Events?
  private let authorize: Authorize?

  /// Throws for an origin that no request may go to. It is asked before each request, also one that follows a redirect.
  package typealias Authorize = @HostActor @Sendable (Origin) throws(HTTPError) -> Void

  /// - Parameter authorize: nil lets requests go anywhere.
  package nonisolated init(
    _ configuration: HTTPClientConfiguration = .init(), events: Events? = nil, authorize: Authorize? = nil
  ) {
    self.configuration = configuration
    self.events = events
    self.authorize = authorize
  }

  /// Throws for an address that something of this client's, such as a browser, may not go to.
  package func admit(url: String) throws(HTTPError) { try admit(Origin(url)) }

  /// The tape of this process; nil for a run that is neither kept nor replayed.
  package static var tape: (any AnswerTape)?

  // MARK: The way of a request: send (follows redirects), admit, observe, record, transfer

  /// Sends `request` and waits for the whole answer. Canceling the task ends the exchange. A request other than GET,
  /// HEAD and OPTIONS is sent once: if its connection breaks, the error says that it may have been received.
  package func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
    let start = HostLoop.uptime
    var leg = Leg(request: request, timeout: request.timeout)
    if request.addresses == .anywhere { leg.request.addresses = configuration.addresses }
    while true {
      let response: HTTPResponse
      do throws(HTTPError) {
        try admit(Origin(leg.request.url))
        response = try await observe(leg)
      } catch {
        var error = error
        // The server has acted on the first leg when a later one fails.
        if leg.redirects > 0 { error.mayHaveBeenReceived = true }
        throw error
      }
      guard request.followsRedirects, var next = try Redirect.request(after: response, to: leg.request) else {
        return response
      }
      next.addresses = leg.request.addresses.afterRedirect(from: response.address)
      guard leg.redirects < Redirect.maximum else { throw HTTPError.tooManyRedirects(request) }
      leg = Leg(request: next, timeout: request.timeout - (HostLoop.uptime - start), redirects: leg.redirects + 1)
      guard leg.timeout > 0 else { throw HTTPError.timeout(request) }
    }
  }

  private struct Leg {
    var request: HTTPRequest
    var timeout: Double
    var redirects = 0
  }

  /// Throws for an origin that no request may go to. An address without an origin is refused later, as no address.
  private func admit(_ origin: @autoclosure () -> Origin?) throws(HTTPError) {
    guard let authorize, let origin = origin() else { return }
    try authorize(origin)
  }

  private func observe(_ leg: Leg) async throws(HTTPError) -> HTTPResponse {
    guard let events, events.isHandled(OutgoingRequest.self) else { return try await record(leg) }
    let outgoing = OutgoingRequest(leg.request)
    // A handler that was canceled ends like one that does nothing: the exchange sees for itself that its task was.
    try? await events.deliver(outgoing)
    var leg = leg
    leg.request.headers = outgoing.headers
    let start = HostLoop.uptime
    let result = await outcome { () async throws(HTTPError) in try await self.record(leg) }
    for end in outgoing.ends { await end(result, HostLoop.uptime - start) }
    return try result.get()
  }

  /// Measures the exchange and emits the record, if somebody watches.
  private func record(_ leg: Leg) async throws(HTTPError) -> HTTPResponse {
    guard let events, events.isWatched(RecordedExchange.self) else { return try await transfer(leg, nil) }
    var leg = leg
    let streamed = leg.request.onBody.map(StreamedBody.init)
    if let streamed { leg.request.onBody = { streamed.take($0) } }
    let measure = ExchangeMeasure()
    let result = await outcome { () async throws(HTTPError) in try await self.transfer(leg, measure) }
    measure.ended()
    events.emit(
      RecordedExchange(
        request: leg.request, result: result, measure: measure, redirects: leg.redirects,
        streamed: streamed.flatMap { $0.size > 0 ? ($0.beginning, $0.size) : nil }))
    return try result.get()
  }

  private func transfer(_ leg: Leg, _ measure: ExchangeMeasure?) async throws(HTTPError) -> HTTPResponse {
    guard let tape = Self.tape else { return try await connect(leg, measure) }
    return try await tape.exchange(leg.request) { request throws(HTTPError) in
      var leg = leg
      leg.request = request
      return try await self.connect(leg, measure)
    }
  }

  private func connect(_ leg: Leg, _ measure: ExchangeMeasure?) async throws(HTTPError) -> HTTPResponse {
    let engine = try CurlEngine.shared(connectionsPerHost: configuration.maximumConnectionsPerHost)
    if Task.isCancelled { throw HTTPError.canceled(leg.request, mayHaveBeenReceived: false) }
    let transfer = try engine.take(with: leg.request.cookies)
    defer { engine.giveBack(transfer) }
    try transfer.prepare(leg.request, timeout: leg.timeout, configuration: configuration, measure: measure)
    // After an answer 421 the next request goes over a connection of its own.
    try transfer.setConnectsAnew(transfer.settings.origin.map { engine.misdirected.remove($0) != nil } ?? false)
    let code = await transfer.run()
    transfer.fillMeasure()
    for notice in leg.request.cookies?.takeNotices() ?? [] { events?.emit(notice) }
    guard let code else { throw HTTPError.canceled(leg.request, mayHaveBeenReceived: transfer.attempts > 0) }
    guard code == CURLE_OK else { throw transfer.error(code, leg.request) }
    let response = transfer.response(from: leg.request.url)
    if response.status == HTTPResponse.misdirected, let origin = transfer.settings.origin {
      engine.misdirected.insert(origin)
    }
    return response
  }

  private func outcome(
    of body: @HostActor () async throws(HTTPError) -> HTTPResponse
  ) async -> Result<HTTPResponse, HTTPError> {
    do throws(HTTPError) { return .success(try await body()) } catch { return .failure(error) }
  }

  // MARK: The way of a prepared POST: send, admit, record, then a lane

  /// Makes a POST without its body ready to be sent many times. Redirects are not followed.
  package func prepare(
    postTo url: String, headers: HTTPHeaders, timeout: Double, maximumBodySize: Int = 256 << 20,
    certificate: ClientCertificate? = nil, onProgress: (@HostActor @Sendable (HTTPProgress) -> Void)? = nil
  ) throws(HTTPError) -> PreparedPost {
    var request = HTTPRequest(
      method: "POST", url: url, headers: headers, timeout: timeout, followsRedirects: false,
      maximumBodySize: maximumBodySize, onProgress: onProgress)
    request.certificate = certificate
    return try PreparedPost(request, configuration)
  }

  /// Sends a prepared POST once, with its body and further header fields. Canceling the task ends the exchange. This
  /// costs a third of `send(_:)`: libcurl only makes the connections. With handlers of `OutgoingRequest` it is
  /// `send(_:)`.
  package func send(
    _ post: PreparedPost, body: [UInt8], fields: [HTTPHeaders.Field] = []
  ) async throws(HTTPError) -> HTTPResponse {
    guard let head = post.head, events?.isHandled(OutgoingRequest.self) != true, Self.tape == nil else {
      var request = post.request
      request.body = body
      for field in fields { request.headers.append(field.name, field.value) }
      return try await send(request)
    }
    try admit(post.lanes.origin)
    if Task.isCancelled { throw HTTPError.canceled(post.request, mayHaveBeenReceived: false) }
    for field in fields { try RequestCheck.field(field) }
    guard let events, events.isWatched(RecordedExchange.self) else {
      return try await sendByLane(post, head, body, fields, nil)
    }
    let measure = ExchangeMeasure()
    let result = await outcome { () async throws(HTTPError) in
      try await self.sendByLane(post, head, body, fields, measure)
    }
    measure.ended()
    var request = post.request
    request.body = body
    events.emit(RecordedExchange(request: request, post: post, fields: fields, result: result, measure: measure))
    return try result.get()
  }

  private func sendByLane(
    _ post: PreparedPost, _ head: [UInt8], _ body: [UInt8], _ fields: [HTTPHeaders.Field], _ measure: ExchangeMeasure?
  ) async throws(HTTPError) -> HTTPResponse {
    let engine = try CurlEngine.shared(connectionsPerHost: configuration.maximumConnectionsPerHost)
    let deadline = HostLoop.uptime + post.request.timeout
    let pool = engine.pool(post.lanes)
    let lane = try await pool.take(for: post.request, configuration, deadline)
    defer { pool.giveBack(lane) }
    guard let measure else { return try await lane.exchange(post.request, head, fields, body) }
    lane.willMeasure(measure)
    defer { lane.fill(measure) }
    return try await lane.exchange(post.request, head, fields, body)
  }
}

/// The settings of a client.
package struct HTTPClientConfiguration: Sendable {
  /// The certificates to trust besides the system's.
  let trust: Trust
  /// The `User-Agent` field of requests that bring none.
  package var userAgent: String
  /// The open connections to one host; further requests wait. The largest number of any client holds for all.
  package var maximumConnectionsPerHost: Int
  /// The rule of the requests that have no other rule.
  package var addresses = AddressRule.anywhere

  /// - Parameter caFile: a file of PEM certificates to trust besides the system's; nil for those of the environment
  ///   (`CURL_CA_BUNDLE`, `SSL_CERT_FILE`).
  package init(caFile: String? = nil, userAgent: String = "b2c-run", maximumConnectionsPerHost: Int = 256) {
    trust = Trust(option: caFile)
    self.userAgent = userAgent
    self.maximumConnectionsPerHost = maximumConnectionsPerHost
  }
}
