import Glibc

/// A page on its way to a file, in pieces.
struct PageFile {
  private static let pieceSize = 128 << 10
  private let file: CInt
  private var buffer: [UInt8] = []

  init(_ file: CInt) { self.file = file }

  mutating func write(_ text: String) throws(TraceError) {
    buffer += Array(text.utf8)
    if buffer.count >= Self.pieceSize { try flush() }
  }

  mutating func flush() throws(TraceError) {
    var rest = buffer[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw .unwritable("the page", String(cString: strerror(errno))) }
      rest = rest.dropFirst(count)
    }
    buffer.removeAll(keepingCapacity: true)
  }
}
