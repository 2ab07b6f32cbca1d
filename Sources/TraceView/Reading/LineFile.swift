import Glibc

/// The lines of a file from its beginning, one after the other.
struct LineFile {
  private let file: CInt
  private let name: String
  private var buffer: [UInt8] = []
  private var start = 0
  private var isAtEnd = false
  private static let pieceSize = 256 << 10

  /// - Parameter file: a regular file, which stays open.
  init(_ file: CInt, name: String) {
    self.file = file
    self.name = name
    lseek(file, 0, SEEK_SET)
  }

  /// The next line without its line feed; nil at the end.
  /// - Returns: `isWhole` is false for a last line that lacks the line feed.
  mutating func next() throws(TraceError) -> (line: [UInt8], isWhole: Bool)? {
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
