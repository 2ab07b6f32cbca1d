import Glibc
import JSON

/// Reads a trace's events one by one.
struct EventLines {
  private let descriptor: CInt
  private var buffer: [UInt8] = []
  private var position = 0
  private var number = 0
  private var isAtEnd = false

  /// - Parameter descriptor: at the beginning of the first line.
  init(_ descriptor: CInt) { self.descriptor = descriptor }

  /// Nil at the end. A last line without an end is one that a killed run did not finish, and is passed over.
  mutating func next() throws(TraceError) -> JSON? {
    while true {
      if let end = buffer[position...].firstIndex(of: 0x0a) {
        let line = Array(buffer[position..<end])
        position = end + 1
        number += 1
        do { return try JSON(parsing: line) } catch {
          throw TraceError("trace_unreadable", "line \(number) of the trace is no event: \(error.message)")
        }
      }
      guard !isAtEnd else { return nil }
      buffer.removeSubrange(..<position)
      position = 0
      try fill()
    }
  }

  private mutating func fill() throws(TraceError) {
    var chunk = [UInt8](repeating: 0, count: 256 << 10)
    let count = read(descriptor, &chunk, chunk.count)
    if count < 0 {
      if errno == EINTR { return }
      throw TraceError("trace_unreadable", "the trace cannot be read: \(String(cString: strerror(errno)))")
    }
    isAtEnd = count == 0
    buffer += chunk[..<count]
  }
}
