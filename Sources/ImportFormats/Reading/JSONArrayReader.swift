import JSON

final class JSONArrayReader: BufferedReader {
  let format: SourceFormat
  let buffer: FileBuffer
  private var scanner = JSONElementScanner(
    .array, maximumElementSize: FileBuffer.maximumRowSize, passesOverLarge: true)
  /// The offset of the text in the file, and the end of the last element that was handed out.
  private let start: Int
  private var handedOut = 0
  private var line = 1
  private var endsWithCarriageReturn = false
  private var isFinished = false

  init(_ buffer: FileBuffer, format: SourceFormat = .json) {
    self.buffer = buffer
    self.format = format
    start = buffer.consumed
  }

  var summary: String { buffer.summary(format == .taskwarrior ? "Taskwarrior's export" : "a JSON array") }
  var bytesRead: Int { buffer.isDirect ? start + handedOut : buffer.bytesRead }

  func next() throws(ImportError) -> SourceRecord? {
    while true {
      let element: JSONElement?
      do { element = try scanner.next() } catch { throw failure(error) }
      if let element {
        handedOut = element.offset + element.count
        if let beginning = element.beginning {
          return SkippedRow.record(
            element.number, line: element.line, .rowTooLong, buffer.lengthReason("row"), beginning, count: element.count
          )
        }
        return scanner.withBytes(of: element) { bytes in
          let content: SourceRecord.Content
          var origins: [RowOrigin] = []
          do throws(JSONError) {
            let value = try scanner.json(element)
            content = JSONRecord.content(value, bytes)
            origins = RowOrigin.of(value)
          } catch { content = JSONRecord.malformed(error.message, bytes) }
          return SourceRecord(
            number: element.number, line: element.line, content: content, fingerprint: StableHash.of(bytes),
            origins: origins)
        }
      }
      guard !isFinished else {
        try buffer.confirmEnd()
        handedOut = buffer.consumed - start
        return nil
      }
      try readOn()
    }
  }

  private func readOn() throws(ImportError) {
    if buffer.window.isEmpty, !buffer.isAtEnd { try buffer.fill(line: line) }
    // The elements have no lines that could fail alone.
    if let fault = buffer.faults.first {
      throw ImportError(kind: .invalidUTF8, message: "\(name):\(fault.line): \(fault.reason)", line: fault.line)
    }
    let window = buffer.window
    scanner.append(window)
    line += lineBreaks(in: window) - (endsWithCarriageReturn && window.first == UInt8(ascii: "\n") ? 1 : 0)
    endsWithCarriageReturn = window.last == UInt8(ascii: "\r")
    buffer.consume(window.count)
    guard buffer.isAtEnd else { return }
    scanner.finish()
    isFinished = true
  }

  private func failure(_ error: JSONError) -> ImportError {
    let line = error.line ?? line
    let place = error.column.map { "\(line), column \($0)" } ?? "\(line)"
    return ImportError(
      kind: .invalidJSON, message: "\(name):\(place): \(error.reason)",
      hint: handedOut == 0 ? "objects one a line are the format ndjson" : nil, line: line)
  }
}
