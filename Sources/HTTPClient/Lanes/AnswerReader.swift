import CBeastShims
import HostLoop

/// Reads one answer after the other off a connection, with Boost.Beast.
@HostActor
final class AnswerReader {
  enum Progress {
    case incomplete
    case complete
    case invalid
    case tooLarge
  }

  private let answer = canswer_make()

  isolated deinit { canswer_free(answer) }

  var hasBegun: Bool { canswer_has_begun(answer) }
  /// True if the connection can be used again after the complete answer.
  var keepsAlive: Bool { canswer_keeps_alive(answer) && canswer_status(answer) != HTTPResponse.misdirected }

  func begin(maximumBodySize: Int) { canswer_begin(answer, maximumBodySize) }

  /// Takes bytes from the connection; no bytes are its end.
  func take(_ bytes: UnsafeRawBufferPointer) -> Progress {
    switch canswer_take(answer, bytes.baseAddress, bytes.count) {
    case CANSWER_COMPLETE: .complete
    case CANSWER_TOO_LARGE: .tooLarge
    case CANSWER_INVALID: .invalid
    default: .incomplete
    }
  }

  func response(from url: String) -> HTTPResponse {
    HTTPResponse(
      status: Int(canswer_status(answer)), headers: HTTPHeaders(lines: Self.array(canswer_fields(answer))),
      body: Self.array(canswer_body(answer)), url: url)
  }

  private static func array(_ bytes: canswer_bytes) -> [UInt8] {
    Array(UnsafeBufferPointer(start: bytes.start, count: bytes.count))
  }
}
