package import HostLoop

/// A request that is about to be sent, also one that follows a redirect, as an event for handlers.
@HostActor
package final class OutgoingRequest: Sendable {
  package nonisolated let request: HTTPRequest
  /// The header fields to send. A request that follows a redirect begins without the changes.
  package var headers: HTTPHeaders
  /// Called after the exchange, with the result and the seconds that it took.
  package var ends: [@HostActor (Result<HTTPResponse, HTTPError>, Double) async -> Void] = []

  init(_ request: HTTPRequest) {
    self.request = request
    headers = request.headers
  }
}

/// A request with its result and its times, as an event for watchers.
package struct RecordedExchange: Sendable {
  /// The number of bytes that are kept of a body that `onBody` takes.
  package static let streamedBodySize = 64 << 10

  package var request: HTTPRequest
  /// The prepared POST that the request is one of; nil for an ordinary request.
  package var post: PreparedPost?
  var fields: [HTTPHeaders.Field] = []
  package var result: Result<HTTPResponse, HTTPError>
  package var measure: ExchangeMeasure
  /// The number of redirects that led here.
  package var redirects = 0
  /// The beginning and the size of a body that `onBody` took; nil for a body in the response.
  package var streamed: (beginning: [UInt8], size: Int)?

  /// The header fields as they went out; those of the request if nothing was sent.
  @HostActor package var sentHeaders: HTTPHeaders {
    guard let post else {
      guard let end = measure.sentHead.firstIndex(of: 0x0a) else { return request.headers }
      return HTTPHeaders(lines: Array(measure.sentHead[(end + 1)...]))
    }
    var headers = post.sentHeaders
    for field in fields { headers.append(field.name, field.value) }
    headers.append("Content-Length", String(request.body?.count ?? 0))
    return headers
  }
}

/// The times of an exchange.
@HostActor
package final class ExchangeMeasure: Sendable {
  /// By `HostLoop.uptime`.
  package let start = HostLoop.uptime
  package private(set) var end = 0.0
  package internal(set) var phases = ExchangePhases()
  /// `1.1`, `2`; empty without an answer.
  package internal(set) var version = ""
  package internal(set) var address = ""
  package internal(set) var port = 0
  /// True for a connection that had been used before.
  package internal(set) var isReused = false
  /// The times at which the request was ready to go out and at which its answer began; 0 if it did not come to that.
  var begun = 0.0
  var answered = 0.0
  var sentHead: [UInt8] = []

  /// Microseconds.
  package var duration: Int { Self.microseconds(end - start) }

  func ended() { if end == 0 { end = HostLoop.uptime } }

  /// The time of sending is in that of waiting: the system takes it at once, unless it is much.
  func fillPhases() {
    ended()
    let connecting = (phases.lookup ?? 0) + (phases.connect ?? 0) + (phases.tls ?? 0)
    phases.blocked = max(0, Self.microseconds((begun > 0 ? begun : end) - start) - connecting)
    guard begun > 0 else { return }
    phases.send = 0
    phases.wait = Self.microseconds((answered > 0 ? answered : end) - begun)
    if answered > 0 { phases.receive = Self.microseconds(end - answered) }
  }

  private static func microseconds(_ seconds: Double) -> Int { max(0, Int(seconds * 1e6)) }
}

/// The microseconds that the parts of an exchange took; nil for a part that did not take place.
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

@HostActor
final class StreamedBody: Sendable {
  private let next: @HostActor @Sendable (UnsafeRawBufferPointer) -> Bool
  private(set) var beginning: [UInt8] = []
  private(set) var size = 0

  init(_ next: @escaping @HostActor @Sendable (UnsafeRawBufferPointer) -> Bool) { self.next = next }

  func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
    beginning.append(contentsOf: bytes.prefix(RecordedExchange.streamedBodySize - beginning.count))
    size += bytes.count
    return next(bytes)
  }
}
