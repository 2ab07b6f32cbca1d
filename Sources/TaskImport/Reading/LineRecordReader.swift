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
    while let line = try lines.next() {
      guard line.contains(where: { !JSONRecord.isBlank($0) }) else { continue }
      number += 1
      return SourceRecord(number: number, line: lines.line, content: content(line), fingerprint: StableHash.of(line))
    }
    return nil
  }

  private func content(_ line: UnsafeRawBufferPointer) -> SourceRecord.Content {
    switch format {
    case .text: return .value(.string(String(decoding: line, as: UTF8.self)))
    case .todotxt: return .value(TodoTxtLine(String(decoding: line, as: UTF8.self)).json)
    default:
      do throws(JSONError) { return JSONRecord.content(try JSON(parsing: line), line) } catch {
        let place = error.column.map { " at column \($0)" } ?? ""
        return JSONRecord.malformed("not valid JSON\(place): \(error.reason)", line)
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
    return SourceRecord(
      number: lines.line, line: lines.line, content: .value(.string(String(decoding: line, as: UTF8.self))),
      fingerprint: 0)
  }
}
