import JSON
import TaskAPI

/// CSV (RFC 4180), also with tabs: a row a task, under a header. Lines end with LF, as usual on Linux.
struct SeparatedTaskWriter: TaskWriter {
  let separator: UInt8

  static let columns = ["id", "text", "completed", "owner", "date"] + TaskField.further.map(\.rawValue)

  func begin(_ output: inout [UInt8]) { append(Self.columns, to: &output) }

  func add(_ task: APITask, to output: inout [UInt8]) {
    append(
      [task.writtenID ?? "", task.text, task.completed ? "true" : "false", task.owner ?? "", task.date ?? ""]
        + TaskField.further.map { task.value(of: $0).map(Self.cell) ?? "" }, to: &output)
  }

  /// Labels with commas between them.
  private static func cell(_ value: JSON) -> String {
    value.array.map { $0.map { $0.string ?? $0.encoded() }.joined(separator: ",") } ?? value.string ?? value.encoded()
  }

  private func append(_ fields: [String], to output: inout [UInt8]) {
    for (index, field) in fields.enumerated() {
      if index > 0 { output.append(separator) }
      append(field, to: &output)
    }
    output.append(UInt8(ascii: "\n"))
  }

  private func append(_ field: String, to output: inout [UInt8]) {
    guard needsQuotes(field) else {
      output.append(contentsOf: field.utf8)
      return
    }
    output.append(UInt8(ascii: "\""))
    for byte in field.utf8 {
      if byte == UInt8(ascii: "\"") { output.append(byte) }
      output.append(byte)
    }
    output.append(UInt8(ascii: "\""))
  }

  /// RFC 4180 keeps spaces at an end without quotes, but many programs cut them off.
  private func needsQuotes(_ field: String) -> Bool {
    field.utf8.first == 0x20 || field.utf8.last == 0x20
      || field.utf8.contains {
        $0 == separator || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r")
      }
  }
}
