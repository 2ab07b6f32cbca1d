import JSON

/// Reads a task a line: the line is its text. Empty lines are passed over.
final class TextReader: BufferedReader {
  let format: SourceFormat
  private let lines: LineReader
  private var number = 0

  /// - Parameter format: `text` or `todotxt`.
  init(_ buffer: FileBuffer, format: SourceFormat = .text) {
    lines = LineReader(buffer)
    self.format = format
  }

  var buffer: FileBuffer { lines.buffer }
  var summary: String { buffer.summary(format == .todotxt ? "todo.txt" : "text, a task a line") }

  func next() throws(ImportError) -> SourceRecord? {
    while let line = try lines.next() {
      guard line.contains(where: { $0 != 0x20 && $0 != 0x09 }) else { continue }
      number += 1
      let text = String(decoding: line, as: UTF8.self)
      return SourceRecord(
        number: number, line: lines.line,
        content: .value(format == .todotxt ? TodoTxtLine(text).json : .string(text)), fingerprint: StableHash.of(line))
    }
    return nil
  }
}
