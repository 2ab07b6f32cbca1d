import Files
import Glibc

/// The lines of a trace from its beginning, one after the other.
package final class TraceLines {
  private let name: String
  private let stream: UnsafeMutablePointer<FILE>?
  private var line: UnsafeMutablePointer<CChar>?
  private var capacity = 0

  /// - Parameter file: a regular file, which stays open.
  package init(_ file: CInt, name: String) {
    self.name = name
    lseek(file, 0, SEEK_SET)
    stream = fdopen(fcntl(file, F_DUPFD_CLOEXEC, 0), "r")
  }

  deinit {
    free(line)
    if let stream { fclose(stream) }
  }

  /// Returns the next line without its line feed; nil at the end.
  /// - Returns: `isWhole` is false for a last line that lacks the line feed, as a killed run leaves it.
  package func next() throws(TraceError) -> (line: [UInt8], isWhole: Bool)? {
    let count = stream.map { getline(&line, &capacity, $0) } ?? -1
    guard count >= 0 else {
      if stream.map(feof) ?? 0 != 0 { return nil }
      throw .unreadable(name, String(cString: strerror(errno)))
    }
    let bytes = UnsafeRawBufferPointer(start: line, count: count)
    let isWhole = bytes.last == UInt8(ascii: "\n")
    return (Array(bytes.dropLast(isWhole ? 1 : 0)), isWhole)
  }
}

/// Text on its way to a file, in pieces.
package struct TraceOutput {
  private static let pieceSize = 128 << 10
  private let file: CInt
  private let name: String
  private var buffer: [UInt8] = []

  /// - Parameter file: stays open.
  package init(_ file: CInt, name: String) {
    self.file = file
    self.name = name
  }

  package mutating func write(_ text: String) throws(TraceError) {
    buffer += text.utf8
    if buffer.count >= Self.pieceSize { try flush() }
  }

  package mutating func flush() throws(TraceError) {
    do { try OpenFile.write(buffer, to: file) } catch { throw .unwritable(name, error.number) }
    buffer.removeAll(keepingCapacity: true)
  }
}
