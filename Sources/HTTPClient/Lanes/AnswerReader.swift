import CHTTPParserShims
import HostLoop

/// Reads one answer after the other off a connection, with http_parser.
@HostActor
final class AnswerReader {
  enum Progress {
    case incomplete
    case complete
    /// What came is no HTTP.
    case invalid
    /// The body is larger than the caller wants.
    case tooLarge
  }

  private enum Event {
    case head, end
  }

  /// Why http_parser cannot be loaded; nil when it is there. The first access loads it.
  nonisolated static let loadFailure: String? = chttp_load().map { String(cString: $0) }

  private let parser = UnsafeMutablePointer<http_parser>.allocate(capacity: 1)
  /// What comes before the body, the status line included.
  private var head: [UInt8] = []
  private var body: [UInt8] = []
  private var isInBody = false
  private var event: Event?
  private var maximumBodySize = 0
  /// Whether anything has come yet.
  private(set) var hasBegun = false
  /// Whether the connection can be used again after the complete answer.
  private(set) var keepsAlive = false

  init() {
    parser.initialize(to: http_parser())
    parser.pointee.data = Unmanaged.passUnretained(self).toOpaque()
  }

  isolated deinit { parser.deallocate() }

  /// Makes it ready for the next answer.
  func begin(maximumBodySize: Int) {
    chttp_begin_answer(parser)
    head.removeAll(keepingCapacity: true)
    body = []
    isInBody = false
    hasBegun = false
    keepsAlive = false
    self.maximumBodySize = maximumBodySize
  }

  /// Takes what has come; no bytes are the end of the connection.
  func take(_ bytes: UnsafeRawBufferPointer) -> Progress {
    hasBegun = hasBegun || !bytes.isEmpty
    var rest = bytes[...]
    while true {
      event = nil
      let piece = UnsafeRawBufferPointer(rebasing: rest)
      // At an end that comes too early it says one byte, of none.
      let count = min(
        piece.count,
        chttp_execute(parser, Self.settings, piece.baseAddress?.assumingMemoryBound(to: CChar.self), piece.count))
      if !isInBody { head.append(contentsOf: piece[..<count]) }
      rest = rest.dropFirst(count)
      switch event {
      case .head:
        isInBody = true
      case .end:
        let status = chttp_status(parser)
        // Informational answers (RFC 9110, 15.2) go before the final one.
        guard (100..<200).contains(status), status != 101 else {
          // What comes behind the answer was not asked for.
          keepsAlive = keepsAlive && rest.isEmpty && !bytes.isEmpty && status != HTTPResponse.misdirected
          return .complete
        }
        isInBody = false
        head.removeAll(keepingCapacity: true)
        if rest.isEmpty {
          chttp_pause(parser, 0)
          return .incomplete
        }
      case nil:
        switch chttp_error(parser) {
        case HPE_OK: return .incomplete
        case HPE_CB_body: return .tooLarge
        default: return .invalid
        }
      }
      chttp_pause(parser, 0)
    }
  }

  /// The complete answer; it is taken out.
  func response(from url: String) -> HTTPResponse {
    let lines = head.firstIndex(of: 0x0a).map { head[($0 + 1)...] } ?? []
    var taken: [UInt8] = []
    swap(&taken, &body)
    return HTTPResponse(
      status: Int(chttp_status(parser)), headers: HTTPHeaders(lines: Array(lines)), body: taken, url: url)
  }

  // MARK: Called back by http_parser

  private static let settings = makeSettings()

  private static func makeSettings() -> UnsafePointer<http_parser_settings> {
    var settings = http_parser_settings()
    settings.on_headers_complete = { parser in AnswerReader.with(parser) { $0.stop(at: .head) } ? 0 : -1 }
    settings.on_body = { parser, bytes, count in
      let bytes = UnsafeRawBufferPointer(start: bytes, count: count)
      return AnswerReader.with(parser) { $0.append(bytes) } ? 0 : 1
    }
    settings.on_message_complete = { parser in AnswerReader.with(parser) { $0.stop(at: .end) } ? 0 : 1 }
    let pointer = UnsafeMutablePointer<http_parser_settings>.allocate(capacity: 1)
    pointer.initialize(to: settings)
    return UnsafePointer(pointer)
  }

  private nonisolated static func with(
    _ parser: UnsafeMutablePointer<http_parser>?, _ action: @HostActor (AnswerReader) -> Bool
  ) -> Bool {
    guard let context = parser?.pointee.data else { return false }
    let reader = Unmanaged<AnswerReader>.fromOpaque(context).takeUnretainedValue()
    return HostActor.assumeIsolated { action(reader) }
  }

  private func stop(at event: Event) -> Bool {
    self.event = event
    if event == .end { keepsAlive = chttp_keeps_alive(parser) != 0 }
    chttp_pause(parser, 1)
    return true
  }

  private func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard body.count + bytes.count <= maximumBodySize else { return false }
    body.append(contentsOf: bytes)
    return true
  }
}
