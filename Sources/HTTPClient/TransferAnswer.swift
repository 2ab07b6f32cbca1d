/// The received part of an answer.
struct TransferAnswer {
  /// The field lines of the last head, as they came.
  private(set) var head: [UInt8] = []
  private(set) var body: [UInt8] = []
  private(set) var isTooLarge = false
  var maximumBodySize = 0
  private var isHeadComplete = false

  /// A head larger than this is no server's honest answer.
  private static let maximumHeadSize = 1 << 20

  mutating func clear() {
    head.removeAll(keepingCapacity: true)
    body = []
    isTooLarge = false
    isHeadComplete = false
  }

  /// Takes the body out.
  mutating func takeBody() -> [UInt8] {
    var taken: [UInt8] = []
    swap(&taken, &body)
    return taken
  }

  /// One line of a head; libcurl brings whole lines. False ends the transfer.
  mutating func appendLine(_ line: UnsafeRawBufferPointer) -> Bool {
    // Each answer's head begins with a status line: informational ones (RFC 9110, 15.2) go before the final one.
    if line.starts(with: "HTTP/".utf8) {
      head.removeAll(keepingCapacity: true)
      isHeadComplete = false
      return true
    }
    // Nobody asked for trailer fields, which follow the head.
    if isHeadComplete { return true }
    if line.count <= 2, line.allSatisfy({ $0 == 0x0d || $0 == 0x0a }) {
      isHeadComplete = true
      return true
    }
    guard head.count + line.count <= Self.maximumHeadSize else {
      isTooLarge = true
      return false
    }
    head.append(contentsOf: line)
    return true
  }

  /// One piece of the body. False ends the transfer.
  mutating func appendBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard body.count + bytes.count <= maximumBodySize else {
      isTooLarge = true
      return false
    }
    if body.isEmpty { reserveBody() }
    body.append(contentsOf: bytes)
    return true
  }

  /// Reserves memory for the announced body, so that a long one is not moved time and again. Memory that is never written to
  /// costs nothing, if the announcement is wrong.
  private mutating func reserveBody() {
    guard head.count < 1 << 14, let length = headers()["Content-Length"].flatMap({ Int($0) }), length > 1 << 16
    else { return }
    // One byte more, for callers that put a NUL behind the body.
    body.reserveCapacity(min(length, maximumBodySize) + 1)
  }

  /// The fields of the head.
  func headers() -> HTTPHeaders { HTTPHeaders(lines: head) }
}
