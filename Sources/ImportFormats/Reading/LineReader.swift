import Glibc

/// Cuts a file into lines, which end with LF, CR or CRLF.
final class LineReader {
  let buffer: FileBuffer
  /// The number of the last line, counting from 1.
  private(set) var line = 0
  /// The bytes of the window that belong to the last line.
  private var taken = 0

  /// The line that is too long and is passed over.
  private var overlong: SkippedRow?

  init(_ buffer: FileBuffer) { self.buffer = buffer }

  /// The next line without its end; nil at the end of the file. Valid until the next call. Throws `row_too_long` for a line
  /// that `skip` can pass over.
  func next() throws(ImportError) -> UnsafeRawBufferPointer? {
    buffer.consume(taken)
    taken = 0
    while true {
      if let found = scan() {
        if found.end == found.next { try buffer.confirmEnd() }
        line += 1
        taken = found.next
        return UnsafeRawBufferPointer(rebasing: buffer.window[..<found.end])
      }
      if buffer.isAtEnd {
        try buffer.confirmEnd()
        return nil
      }
      try buffer.fill(line: line + 1)
    }
  }

  /// True if the end of a line that is too long has not been found yet.
  var isSkipping: Bool { overlong != nil }

  /// Passes over the line that was too long. It can be called again after the buffer had no data.
  func skip() throws(ImportError) -> SkippedRow {
    var row = overlong ?? SkippedRow(line: line + 1, reason: buffer.lengthReason("line"))
    while true {
      let window = buffer.window
      let end = row.take(window, isLast: buffer.isAtEnd)
      buffer.consume(end ?? window.count)
      if end != nil {
        overlong = nil
        line += 1
        return row
      }
      overlong = row
      try buffer.fill(line: line + 1)
    }
  }

  /// The end of the line at the window's start, and the start of the next line; nil if the line is not complete.
  private func scan() -> (end: Int, next: Int)? {
    let window = buffer.window
    guard let start = window.baseAddress, !window.isEmpty else { return nil }
    let lineFeed = memchr(start, Int32(UInt8(ascii: "\n")), window.count).map { UnsafeRawPointer($0) - start }
    let reach = lineFeed ?? window.count
    if let carriageReturn = memchr(start, Int32(UInt8(ascii: "\r")), reach).map({ UnsafeRawPointer($0) - start }) {
      // At the window's end, a line feed may follow.
      if carriageReturn + 1 == window.count, !buffer.isAtEnd { return nil }
      return (carriageReturn, carriageReturn + (carriageReturn + 1 == lineFeed ? 2 : 1))
    }
    if let lineFeed { return (lineFeed, lineFeed + 1) }
    return buffer.isAtEnd ? (window.count, window.count) : nil
  }
}
