import Automation
import HostLoop
import ImportFormats
import JSON
package import Lua
import LuaKit
import TableReading

/// The source of a plugin's format: a file, or standard input.
package final class LuaSource: LuaObject {
  let path: String
  /// The place of the rows, by the marks of the format.
  private let match: FormatMatch?
  private let reading: ReadingOptions
  private let context: ScriptContext
  private var reader: (any RecordReader)?
  /// The records that the format cannot get, because they do not fit the header.
  private var broken: [SourceRecord] = []

  init(path: String, _ match: FormatMatch?, _ reading: ReadingOptions, _ context: ScriptContext) {
    self.path = path
    self.match = match
    self.reading = reading
    self.context = context
  }

  var bytesRead: Int { reader?.bytesRead ?? 0 }
  var totalBytes: Int? { reader?.totalBytes }

  /// The broken records up to the one that was read last; each is returned once.
  func takeBroken() -> [SourceRecord] {
    defer { broken = [] }
    return broken
  }

  private func file(_ part: String?, _ arguments: Arguments) throws -> SourceFile {
    var file = reading.applied(to: try context.session.permissions.source(path, arguments))
    file.part = part ?? file.part ?? match?.part
    return file
  }

  private func lines(_ arguments: Arguments) throws -> LuaValue {
    let options = try LineOptions(arguments)
    let file = try file(options.part, arguments)
    let reader: any RecordReader = options.unfolds == true ? try FoldedLineReader(file) : try RawLineReader(file)
    self.reader = reader
    return iterator("source:lines", over: reader, arguments.state) { record in
      guard case .value(let text) = record.content else { return .nil }
      return .string(text.string)
    }
  }

  private struct LineOptions: LuaOptions {
    var unfolds: Bool?
    var part: String?

    static let fields: [Field] = [
      .init(
        "unfold", \.unfolds,
        "true: join lines that begin with a blank or a tab with the line before, as iCalendar and vCard need it."),
      partField(\.part),
    ]
  }

  private nonisolated static func partField<Options>(
    _ property: WritableKeyPath<Options, String?>
  ) -> OptionField<Options> {
    OptionField("part", property, "The entry of a zip archive, or the sheet of a workbook.")
  }

  private func rows(_ arguments: Arguments) throws -> LuaValue {
    let options = try RowOptions(arguments)
    var file = try file(options.part, arguments)
    if file.header == nil, file.skippedLines == 0, options.part == nil { file.header = match?.header.map { .line($0) } }
    let table = try CSVReader(file, separator: options.separator ?? match?.separator)
    let reader = try PreviewedReader(table)
    self.reader = reader
    let dates = try DateColumns(options.dates ?? [], of: table.header, in: reader, order: reading.dateOrder)
    let tables = LuaRows(table.header, arguments.state)
    return iterator("source:rows", over: reader, arguments.state) { record in
      guard case .row(let row) = record.content else { return .nil }
      return tables.table(row, dates)
    }
  }

  private struct RowOptions: LuaOptions {
    var separator: Character?
    var part: String?
    var dates: [String]?

    static let fields: [Field] = [
      SeparatorOptions.field("The separator of the fields; detected if not given.", \.separator),
      partField(\.part),
      .init(
        "dates", \.dates, .list(of: .string),
        "The columns with dates. Their values become days such as 2027-01-31 and times such as 2027-01-31T08:00:00Z; the values of "
          + "all these columns decide whether the day or the month is first."
      ) { value, _ in try value.table?.elements.compactMap(\.string) },
    ]
  }

  private func json(_ arguments: Arguments) throws -> LuaValue {
    var file = try file(try PartOptions(arguments).part, arguments)
    file.header = nil
    return context.json.value(try file.document().withoutNulls)
  }

  private struct PartOptions: LuaOptions {
    var part: String?
    static let fields: [Field] = [partField(\.part)]
  }

  /// A function that returns the value of each record, and its line.
  private func iterator(
    _ name: String, over reader: any RecordReader, _ state: LuaState,
    _ value: @escaping @HostActor @Sendable (SourceRecord) throws -> LuaValue
  ) -> LuaValue {
    let records = Records(reader)
    let next = HostFunction.suspending(name, "The next one.") { [self] _ in
      while let record = try await records.next() {
        guard case .malformed = record.content else { return [try value(record), .integer(record.line)] }
        broken.append(record)
      }
      return [.nil]
    }
    return .function(state.closure(next))
  }

  package static let luaType = HostType(
    "source", "The source of the rows of a plugin's format.",
    properties: [
      property("path", .string, "The file's path; \"-\" for standard input.") { .path($0.path) },
      property(
        "kind", .choice(["table", "json", "text"]),
        "The kind of the file, as its beginning shows it by the marks of the format; \"text\" for another one."
      ) { .string($0.match?.header != nil ? "table" : $0.match?.isDocument == true ? "json" : "text") },
    ],
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
        "An iterator over the rows of a table, by column name: for row, line in source:rows() do … end. The table may be CSV in any "
          + "encoding, in a zip archive, or a sheet of a workbook; lines above the names of the columns are passed over. Of columns "
          + "with one name, the second one is called \"NAME 2\". Rows that do not fit the header fail alone.",
        options: RowOptions.keys,
        returns: .init(
          .functionReturning(
            .init(.map(of: .string), optional: true, "The next row, by column name; nil at the end."),
            .init(.integer, optional: true, "The number of the line.")), "The iterator.")
      ) { [try $0.rows($1)] },
      method(
        "source:json", "The JSON document of the file, of at most 64 MiB. Members that are null are left out.",
        options: PartOptions.keys, returns: .init(.any, "The document.")
      ) { [try $0.json($1)] },
      method(
        "source:date",
        "A date that a program or a person wrote, such as \"September 26, 2026 5:00 PM\", as 2026-09-26T17:00:00; nil for another "
          + "text, and for one that may have the day or the month first.",
        Parameter("text", .string, "The text."),
        returns: .init(.string, optional: true, "The day or the time.")
      ) { source, arguments in
        guard let date = DateText(arguments.string(1)) else { return [.nil] }
        let order = source.reading.dateOrder
        return [date.isAmbiguous && order == nil ? .nil : .string(date.text(order ?? date.order ?? .dayFirst))]
      },
      method(
        "source:parts", "The names of the entries of a zip archive, or of the sheets of a workbook.",
        returns: .init(.list(of: .string), "The names; empty for another file.")
      ) { [$0.context.list(try $0.file(nil, $1).partNames())] },
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

extension JSON {
  /// The value without the members of objects that are null.
  fileprivate var withoutNulls: JSON {
    switch self {
    case .object(let members): .object(members.filter { $0.value != .null }.mapValues(\.withoutNulls))
    case .array(let elements): .array(elements.map(\.withoutNulls))
    default: self
    }
  }
}
