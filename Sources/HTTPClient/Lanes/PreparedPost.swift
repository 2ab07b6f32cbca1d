package import HostLoop

/// What POSTs of one kind have in common, made ready once: an import sends a million of them with one token.
@HostActor
package final class PreparedPost {
  /// The request without a body.
  let request: HTTPRequest
  /// Its head as it goes over the connection, up to what differs; nil where the request takes the ordinary way.
  let head: [UInt8]?
  let lanes: LanePool.Key

  package var url: String { request.url }

  /// The header fields as they go out, without the one of a single request and the length.
  package var sentHeaders: HTTPHeaders {
    guard let head, let end = head.firstIndex(of: 0x0a) else { return request.headers }
    return HTTPHeaders(lines: Array(head[(end + 1)...]))
  }

  init(_ request: HTTPRequest, _ configuration: HTTPClientConfiguration) throws(HTTPError) {
    guard let origin = Origin(request.url), let url = CurlURL(request.url) else {
      throw HTTPError.invalidURL(request.url)
    }
    try RequestCheck.headers(request.headers)
    self.request = request
    lanes = LanePool.Key(origin: origin, caFile: configuration.caFile)
    head = Self.head(request, configuration, origin, url)
  }

  /// Without redirects, a lane serves https, by a tunnel where there is a proxy, and this machine, where there is none.
  /// To a proxy of plain http a request would be written otherwise.
  private static func head(
    _ request: HTTPRequest, _ configuration: HTTPClientConfiguration, _ origin: Origin, _ url: borrowing CurlURL
  ) -> [UInt8]? {
    guard request.onProgress == nil, origin.scheme == "https" || origin.isLoopback, AnswerReader.loadFailure == nil,
      !url.hasCredentials,
      origin.host.utf8.allSatisfy({ $0 < 0x80 && $0 != UInt8(ascii: "%") }), let path = url.path
    else { return nil }
    // These change how a connection is used, which is libcurl's to understand.
    let special = ["connection", "expect", "host", "te", "upgrade"]
    guard !request.headers.fields.contains(where: { special.contains($0.name.lowercased()) }) else { return nil }

    let query = url.query.map { "?" + $0 } ?? ""
    let port = origin.port == (origin.scheme == "https" ? 443 : 80) ? "" : ":\(origin.port)"
    var head = "POST \(path)\(query) HTTP/1.1\r\nHost: \(origin.host)\(port)\r\n"
    if request.headers["User-Agent"] == nil { head += "User-Agent: \(configuration.userAgent)\r\n" }
    if request.headers["Accept"] == nil { head += "Accept: */*\r\n" }
    for field in request.headers.fields { head += "\(field.name): \(field.value)\r\n" }
    return Array(head.utf8)
  }
}

extension HTTPClient {
  /// Makes a POST without its body ready to be sent many times. Redirects are not followed.
  package func prepare(
    postTo url: String, headers: HTTPHeaders, timeout: Double, maximumBodySize: Int = 256 << 20,
    onProgress: (@HostActor @Sendable (HTTPProgress) -> Void)? = nil
  ) throws(HTTPError) -> PreparedPost {
    try PreparedPost(
      HTTPRequest(
        method: "POST", url: url, headers: headers, timeout: timeout, followsRedirects: false,
        maximumBodySize: maximumBodySize, onProgress: onProgress), configuration)
  }

  /// Sends a prepared POST with its body, and with one more header field; gives back the answer, whatever its status.
  /// It is sent once, like any other. Canceling the task ends the exchange.
  ///
  /// It costs a third of `send(_:)`: libcurl makes the connections, and what goes over them is written and read here. With
  /// an observer, which sees ordinary requests, it is `send(_:)`.
  package func send(
    _ post: PreparedPost, body: [UInt8], field: HTTPHeaders.Field? = nil
  ) async throws(HTTPError) -> HTTPResponse {
    guard let head = post.head, observer == nil else {
      var request = post.request
      request.body = body
      if let field { request.headers.append(field.name, field.value) }
      return try await send(request)
    }
    try admit(post.lanes.origin)
    if Task.isCancelled { throw HTTPError.canceled(post.request, mayHaveBeenReceived: false) }
    if let field { try RequestCheck.field(field) }
    let engine = try CurlEngine.shared()
    engine.allow(connectionsPerHost: configuration.maximumConnectionsPerHost)
    guard let recorder else { return try await send(post, head, body, field, engine, nil) }
    let measure = ExchangeMeasure()
    let result: Result<HTTPResponse, HTTPError>
    do { result = .success(try await send(post, head, body, field, engine, measure)) } catch {
      result = .failure(error)
    }
    measure.ended()
    recorder.record(post, body: body, field: field, result, measure)
    return try result.get()
  }

  private func send(
    _ post: PreparedPost, _ head: [UInt8], _ body: [UInt8], _ field: HTTPHeaders.Field?, _ engine: CurlEngine,
    _ measure: ExchangeMeasure?
  ) async throws(HTTPError) -> HTTPResponse {
    let deadline = HostLoop.uptime + post.request.timeout
    let pool = engine.pool(post.lanes)
    let lane = try await pool.take(for: post.request, configuration, deadline)
    defer { pool.giveBack(lane) }
    guard let measure else { return try await lane.exchange(post.request, head, field, body) }
    lane.willMeasure(measure)
    defer { lane.fill(measure) }
    return try await lane.exchange(post.request, head, field, body)
  }
}
