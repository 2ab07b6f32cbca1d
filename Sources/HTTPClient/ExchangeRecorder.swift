package import HostLoop

/// Gets every exchange of a client when it is over, without a say in it.
@HostActor
package protocol ExchangeRecorder: AnyObject, Sendable {
  /// So many bytes of a body that is taken as it comes are kept for the record.
  var streamedBodySize: Int { get }

  func record(_ exchange: RecordedExchange)

  /// One of many POSTs alike. `measure` is what is known of its way.
  func record(
    _ post: PreparedPost, body: [UInt8], field: HTTPHeaders.Field?, _ result: Result<HTTPResponse, HTTPError>,
    _ measure: ExchangeMeasure)
}

/// A request, its answer, and how long what took.
package struct RecordedExchange {
  /// As it was asked for.
  package var request: HTTPRequest
  /// The header fields as they went out; those asked for where it did not come to that.
  package var sentHeaders: HTTPHeaders
  package var result: Result<HTTPResponse, HTTPError>
  package var measure: ExchangeMeasure
  /// How many redirects were followed to get here.
  package var redirects = 0
  /// The beginning of a body that was taken as it came, and its size; nil where the body is in the response.
  package var streamed: (beginning: [UInt8], size: Int)?
}

/// When an exchange began and ended, and what it did meanwhile.
@HostActor
package final class ExchangeMeasure {
  /// By `HostLoop.uptime`.
  package let start = HostLoop.uptime
  package private(set) var end = 0.0
  package internal(set) var phases = ExchangePhases()
  /// `1.1`, `2`; empty where nothing was answered.
  package internal(set) var version = ""
  package internal(set) var address = ""
  package internal(set) var port = 0
  /// Whether the connection had been used before.
  package internal(set) var isReused = false
  /// When the request was ready to go out, and when its answer began; 0 where it did not come to that.
  var begun = 0.0
  var answered = 0.0
  /// The head of the request as it went out.
  var sentHead: [UInt8] = []

  /// Behind the request line.
  var sentFields: [UInt8] { sentHead.firstIndex(of: 0x0a).map { Array(sentHead[($0 + 1)...]) } ?? [] }

  func ended() { if end == 0 { end = HostLoop.uptime } }

  /// Fills in what `begun` and `answered` tell, at the end, when it is known how long connecting took. The time of
  /// sending is in that of waiting: the system takes what is sent at once, unless it is much.
  func fillPhases() {
    func microseconds(_ seconds: Double) -> Int { max(0, Int(seconds * 1e6)) }
    ended()
    let now = end
    let connecting = (phases.lookup ?? 0) + (phases.connect ?? 0) + (phases.tls ?? 0)
    phases.blocked = max(0, microseconds((begun > 0 ? begun : now) - start) - connecting)
    guard begun > 0 else { return }
    phases.send = 0
    phases.wait = microseconds((answered > 0 ? answered : now) - begun)
    if answered > 0 { phases.receive = microseconds(now - answered) }
  }

  /// Microseconds.
  package var duration: Int { Int((end - start) * 1e6) }
}

/// Microseconds that the parts of an exchange took; nil for what there was none of.
package struct ExchangePhases: Sendable {
  /// Waiting for a connection, and for whatever else comes before the request.
  package var blocked: Int?
  package var lookup: Int?
  /// Without TLS.
  package var connect: Int?
  package var tls: Int?
  package var send: Int?
  /// From the request to the first byte of the answer.
  package var wait: Int?
  package var receive: Int?
}

extension HTTPClient {
  /// One exchange, and its record where one is kept.
  func recorded(
    _ request: HTTPRequest, _ timeout: Double, redirects: Int, by engine: CurlEngine
  ) async throws(HTTPError) -> HTTPResponse {
    guard let recorder else { return try await engine.exchange(request, timeout, configuration) }
    var request = request
    let streamed = request.onBody.map { StreamedBody($0, keeping: recorder.streamedBodySize) }
    if let streamed { request.onBody = { streamed.take($0) } }
    let measure = ExchangeMeasure()
    let result: Result<HTTPResponse, HTTPError>
    do { result = .success(try await engine.exchange(request, timeout, configuration, measure)) } catch {
      result = .failure(error)
    }
    measure.ended()
    recorder.record(
      RecordedExchange(
        request: request,
        sentHeaders: measure.sentHead.isEmpty ? request.headers : HTTPHeaders(lines: measure.sentFields),
        result: result, measure: measure, redirects: redirects,
        streamed: streamed.flatMap { $0.size > 0 ? ($0.beginning, $0.size) : nil }))
    return try result.get()
  }
}

/// Passes a body on, and keeps its beginning.
@HostActor
private final class StreamedBody {
  private let next: @HostActor @Sendable (UnsafeRawBufferPointer) -> Bool
  private let most: Int
  private(set) var beginning: [UInt8] = []
  private(set) var size = 0

  init(_ next: @escaping @HostActor @Sendable (UnsafeRawBufferPointer) -> Bool, keeping most: Int) {
    self.next = next
    self.most = most
  }

  func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
    if beginning.count < most { beginning.append(contentsOf: bytes.prefix(most - beginning.count)) }
    size += bytes.count
    return next(bytes)
  }
}
