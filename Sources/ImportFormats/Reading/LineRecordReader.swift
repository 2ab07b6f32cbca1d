import JSON

/// Reads a record a line: a JSON value, a text, or a line of todo.txt. Empty lines are passed over. A line that is not
/// valid JSON is a failed record: the lines behind it can be read.
final class LineRecordReader: BufferedReader {
  let format: SourceFormat
  private let lines: LineReader
  private var number = 0

  init(_ buffer: FileBuffer, format: SourceFormat) {
    lines = LineReader(buffer)
    self.format = format
  }

  var buffer: FileBuffer { lines.buffer }

  var summary: String {
    switch format {
    case .taskwarrior: buffer.summary("Taskwarrior's export")
    case .ndjson: buffer.summary("JSON, a value a line")
    case .todotxt: buffer.summary("todo.txt")
    default: buffer.summary("text, a task a line")
    }
  }

  func next() throws(ImportError) -> SourceRecord? {
    if lines.isSkipping { return try overlong() }
    do throws(ImportError) { return try nextRecord() } catch {
      guard error.kind == .rowTooLong else { throw error }
      return try overlong()
    }
  }

  private func overlong() throws(ImportError) -> SourceRecord {
    let row = try lines.skip()
    number += 1
    return row.record(number: number)
  }

  private func nextRecord() throws(ImportError) -> SourceRecord? {
    while let line = try lines.next() {
      guard line.contains(where: { !JSONRecord.isBlank($0) }) else { continue }
      number += 1
      let fault = buffer.takeFault(lines.line...lines.line)
      let (content, origins) =
        fault.map { (.unreadable($0, [String(decoding: line, as: UTF8.self)]), []) } ?? content(line)
      return SourceRecord(
        number: number, line: lines.line, content: content, fingerprint: StableHash.of(line), origins: origins)
    }
    return nil
  }

  private func content(_ line: UnsafeRawBufferPointer) -> (SourceRecord.Content, [RowOrigin]) {
    switch format {
    case .text: return (.value(.string(String(decoding: line, as: UTF8.self))), [])
    case .todotxt: return (.value(TodoTxtLine(String(decoding: line, as: UTF8.self)).json), [])
    default:
      do throws(JSONError) {
        let value = try JSON(parsing: line)
        return (JSONRecord.content(value, line), RowOrigin.of(value))
      } catch {
        let place = error.column.map { " at column \($0)" } ?? ""
        return (JSONRecord.malformed("not valid JSON\(place): \(error.reason)", line), [])
      }
    }
  }
}

/// Reads every line of a file as it is, including empty lines. The file may be compressed.
package final class RawLineReader: BufferedReader {
  package let format = SourceFormat.text
  private let lines: LineReader

  package init(_ source: SourceFile) throws(ImportError) { lines = LineReader(try FileBuffer(source)) }

  var buffer: FileBuffer { lines.buffer }
  package var summary: String { buffer.summary("text") }

  /// The next line, a text with its number; nil at the end.
  package func next() throws(ImportError) -> SourceRecord? {
    guard let line = try lines.next() else { return nil }
    if let fault = buffer.takeFault(lines.line...lines.line) {
      throw ImportError(kind: .invalidUTF8, message: "\(name):\(lines.line): \(fault)", line: lines.line)
    }
    return SourceRecord(
      number: lines.line, line: lines.line, content: .value(.string(String(decoding: line, as: UTF8.self))),
      fingerprint: 0)
  }
}

/// The unfolded lines of a file of iCalendar or vCard (RFC 5545, 3.1): a line that begins with a blank or a tab continues the line
/// before. Some programs fold lines within a character, so only unfolded lines have to be UTF-8.
package final class FoldedLineReader: BufferedReader {
  package let format = SourceFormat.text
  private let lines: LineReader
  /// The beginning of the next unfolded line, and its number; nil before the first one and at the end.
  private var ahead: (bytes: [UInt8], line: Int)?
  private var hasBegun = false

  package init(_ source: SourceFile) throws(ImportError) {
    lines = LineReader(try FileBuffer(source, checksText: false))
  }

  var buffer: FileBuffer { lines.buffer }
  package var summary: String { buffer.summary("text") }

  /// The next unfolded line, a text with the number of its first line; nil at the end.
  package func next() throws(ImportError) -> SourceRecord? {
    if !hasBegun {
      hasBegun = true
      ahead = try read()
    }
    guard var whole = ahead else { return nil }
    ahead = nil
    while let more = try read() {
      guard more.bytes.first == UInt8(ascii: " ") || more.bytes.first == UInt8(ascii: "\t") else {
        ahead = more
        break
      }
      whole.bytes += more.bytes.dropFirst()
      guard whole.bytes.count <= FileBuffer.maximumRowSize else { throw buffer.rowTooLong(whole.line) }
    }
    do throws(UTF8.ValidationError) { _ = try UTF8Span(validating: whole.bytes.span) } catch {
      throw buffer.notUTF8(whole.bytes[error.byteOffsets.lowerBound], line: whole.line)
    }
    return SourceRecord(
      number: whole.line, line: whole.line, content: .value(.string(String(decoding: whole.bytes, as: UTF8.self))),
      fingerprint: 0)
  }

  private func read() throws(ImportError) -> (bytes: [UInt8], line: Int)? {
    try lines.next().map { (Array($0), lines.line) }
  }
}
