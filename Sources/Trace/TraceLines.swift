import Glibc

/// The lines of a trace from its beginning, one after the other.
package struct TraceLines {
  private static let pieceSize = 256 << 10
  private let file: CInt
  private let name: String
  private var buffer: [UInt8] = []
  private var start = 0
  private var isAtEnd = false

  /// - Parameters:
  ///   - file: a regular file, which stays open.
  ///   - name: the name of the file, for messages.
  package init(_ file: CInt, name: String) {
    self.file = file
    self.name = name
    lseek(file, 0, SEEK_SET)
  }

  /// Returns the next line without its line feed; nil at the end.
  /// - Returns: `isWhole` is false for a last line that lacks the line feed, as a killed run leaves it.
  package mutating func next() throws(TraceError) -> (line: [UInt8], isWhole: Bool)? {
    var searched = start
    while true {
      if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
        defer { start = end + 1 }
        return (Array(buffer[start..<end]), true)
      }
      guard !isAtEnd else {
        guard start < buffer.count else { return nil }
        defer { start = buffer.count }
        return (Array(buffer[start...]), false)
      }
      searched = buffer.count - start
      buffer.removeSubrange(..<start)
      start = 0
      try fill()
    }
  }

  private mutating func fill() throws(TraceError) {
    var piece = [UInt8](repeating: 0, count: Self.pieceSize)
    var count = read(file, &piece, piece.count)
    while count < 0, errno == EINTR { count = read(file, &piece, piece.count) }
    guard count >= 0 else { throw .unreadable(name, String(cString: strerror(errno))) }
    buffer += piece[..<count]
    isAtEnd = count == 0
  }
}

/// Text on its way to a file, in pieces.
package struct TraceOutput {
  private static let pieceSize = 128 << 10
  private let file: CInt
  private let name: String
  private var buffer: [UInt8] = []

  /// - Parameters:
  ///   - file: stays open.
  ///   - name: the name of the file, for messages.
  package init(_ file: CInt, name: String) {
    self.file = file
    self.name = name
  }

  package mutating func write(_ text: String) throws(TraceError) {
    buffer += text.utf8
    if buffer.count >= Self.pieceSize { try flush() }
  }

  package mutating func flush() throws(TraceError) {
    if let problem = Self.write(buffer, to: file) { throw .unwritable(name, problem) }
    buffer.removeAll(keepingCapacity: true)
  }

  /// Writes all bytes.
  /// - Returns: the error number of a write that failed.
  static func write(_ bytes: [UInt8], to file: CInt) -> CInt? {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
      if count > 0 { rest = rest.dropFirst(count) } else if errno != EINTR, errno != EAGAIN { return errno }
    }
    return nil
  }
}
