import JSON

/// Reads JSON values, one a line; empty lines are passed over. A line that is no JSON is a record that failed: it says
/// nothing of the lines behind it.
final class NDJSONReader: BufferedReader {
  let format: SourceFormat
  private let lines: LineReader
  private var number = 0

  init(_ buffer: FileBuffer, format: SourceFormat = .ndjson) {
    lines = LineReader(buffer)
    self.format = format
  }

  var buffer: FileBuffer { lines.buffer }
  var summary: String { buffer.summary(format == .taskwarrior ? "Taskwarrior's export" : "JSON, a value a line") }

  func next() throws(ImportError) -> SourceRecord? {
    while let line = try lines.next() {
      guard line.contains(where: { !JSONRecord.isBlank($0) }) else { continue }
      number += 1
      let content = JSONRecord.content(line) { (bytes) throws(JSONError) in
        try JSON(parsing: bytes)
      } describe: { error in
        "not valid JSON\(error.column.map { " at column \($0)" } ?? ""): \(error.reason)"
      }
      return SourceRecord(number: number, line: lines.line, content: content, fingerprint: StableHash.of(line))
    }
    return nil
  }
}

/// Makes a record of a JSON value that should be a task.
enum JSONRecord {
  static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }

  /// - Parameters:
  ///   - parse: parses `bytes`.
  ///   - describe: says what is wrong with them, with a place that a person can find.
  static func content(
    _ bytes: UnsafeRawBufferPointer, _ parse: (UnsafeRawBufferPointer) throws(JSONError) -> JSON,
    describe: (JSONError) -> String
  ) -> SourceRecord.Content {
    let problem: String
    do {
      switch try parse(bytes) {
      case .object(let members): return FailedRow.content(members)
      case .string(let text): return .value(.string(text))
      case let other: problem = "expected an object or a text, got \(other.kindName)"
      }
    } catch { problem = describe(error) }
    return .malformed(
      code: ImportError.Kind.invalidJSON.rawValue, reason: problem, fields: [String(decoding: bytes, as: UTF8.self)])
  }
}

extension JSON {
  /// The kind of the value, for messages.
  var kindName: String {
    switch self {
    case .null: "null"
    case .bool: "a boolean"
    case .integer, .number: "a number"
    case .string: "a text"
    case .array: "an array"
    case .object: "an object"
    }
  }
}
