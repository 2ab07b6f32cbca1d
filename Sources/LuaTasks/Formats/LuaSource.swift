import HostLoop
import ImportFormats
import JSON
package import Lua
import LuaKit
import Permissions

/// The source of a plugin's format: a file, or standard input.
package final class LuaSource: LuaObject {
  let path: String
  private let permissions: Permissions
  private var reader: (any RecordReader)?

  init(path: String, _ permissions: Permissions) {
    self.path = path
    self.permissions = permissions
  }

  var bytesRead: Int { reader?.bytesRead ?? 0 }
  var totalBytes: Int? { reader?.totalBytes }

  private func lines(_ arguments: Arguments) throws -> LuaValue {
    let file = try permissions.source(path, arguments)
    let reader: any RecordReader =
      try LineOptions(arguments).unfolds == true ? try FoldedLineReader(file) : try RawLineReader(file)
    self.reader = reader
    return iterator("source:lines", over: reader, arguments.state) { record in
      guard case .value(let text) = record.content else { return .nil }
      return .string(text.string)
    }
  }

  private struct LineOptions: LuaOptions {
    var unfolds: Bool?

    static let fields: [Field] = [
      .init(
        "unfold", \.unfolds,
        "true: join lines that begin with a blank or a tab with the line before, as iCalendar and vCard need it.")
    ]
  }

  private func rows(_ arguments: Arguments) throws -> LuaValue {
    let separator = try SeparatorOptions(arguments).separator
    let reader = try CSVReader(try permissions.source(path, arguments), separator: separator)
    self.reader = reader
    let tables = LuaRows(reader.header, arguments.state)
    return iterator("source:rows", over: reader, arguments.state) { record in
      switch record.content {
      case .row(let row): return tables.table(row)
      case .malformed(let code, let reason, _):
        throw LuaError(code: code, message: "\(reader.name):\(record.line ?? 0): \(reason)")
      case .value, .opaque, .encoded: return .nil
      }
    }
  }

  /// A function that returns the value of each record, and its line.
  private func iterator(
    _ name: String, over reader: any RecordReader, _ state: LuaState,
    _ value: @escaping @HostActor @Sendable (SourceRecord) throws -> LuaValue
  ) -> LuaValue {
    let records = Records(reader)
    let next = HostFunction.suspending(name, "The next one.") { _ in
      guard let record = try await records.next() else { return [.nil] }
      return [try value(record), .integer(record.line)]
    }
    return .function(state.closure(next))
  }

  package static let luaType = HostType(
    "source", "The source of the rows of a plugin's format.",
    properties: [property("path", .string, "The file's path; \"-\" for standard input.") { .path($0.path) }],
    methods: [
      method(
        "source:lines",
        "An iterator over the lines: for line, number in source:lines() do … end. The file may be compressed with "
          + "gzip or zstd.",
        options: LineOptions.keys,
        returns: .init(
          .functionReturning(
            .init(.string, optional: true, "The next line; nil at the end."),
            .init(.integer, optional: true, "The number of the line.")), "The iterator.")
      ) { [try $0.lines($1)] },
      method(
        "source:rows",
        "An iterator over the rows of a CSV file, by column name: for row, line in source:rows() do … end. The first line "
          + "has the names.", options: SeparatorOptions.keys,
        returns: .init(
          .functionReturning(
            .init(.map(of: .string), optional: true, "The next row, by column name; nil at the end."),
            .init(.integer, optional: true, "The number of the line.")), "The iterator.")
      ) { [try $0.rows($1)] },
    ], describe: { object in (object as? LuaSource).map { "source \($0.path)" } ?? "source" })
}

@HostActor
private final class Records {
  private let cursor: RecordCursor
  private var hasEnded = false

  init(_ reader: any RecordReader) { cursor = RecordCursor(reader) }

  func next() async throws -> SourceRecord? {
    guard !hasEnded, let record = try await cursor.next() else {
      hasEnded = true
      return nil
    }
    return record
  }
}
