import JSON

/// Reads every line of a file as it stands, empty ones too, for who knows what they mean. The file may be compressed.
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
