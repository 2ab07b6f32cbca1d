import Automation
import HostLoop
import ImportFormats
package import Lua
package import LuaKit
import Permissions

/// `b2c.csv`
package struct CSVModule: LuaModule {
  let permissions: Permissions

  package init(_ context: ScriptContext) { permissions = context.session.permissions }

  /// The module, for the documentation and for `b2c`.
  package var module: HostModule {
    HostModule(
      "csv", "Files of rows: CSV and TSV.",
      notes: """
        Reading a missing column raises an error, so a misspelled name is not taken for an empty field.
        """,
      example: """
        local csv = require "b2c.csv"

        local count = {}
        for row in csv.rows "examples/data/tasks.csv" do
          count[row.Priority] = (count[row.Priority] or 0) + 1
        end
        print(count.high .. " tasks are urgent")
        """, functions)
  }

  package static let functions: [ModuleFunction<Self>] = [rows, count]

  private static let rows = function(
    "csv.rows",
    "An iterator over the rows of a file, by column name: for row, number in csv.rows(path) do … end. The first line "
      + "has the names. The file may be compressed with gzip or zstd. Memory is bounded by the longest row.",
    Parameter("path", .string, "A file."), options: SeparatorOptions.keys,
    returns: .init(
      .functionReturning(
        .init(.map(of: .string), optional: true, "The next row, by column name; nil at the end."),
        .init(.integer, optional: true, "The number of the row.")),
      "The iterator: it returns each row and its number, then nil.")
  ) { module, arguments in
    let reader = try module.reader(arguments)
    let rows = LuaRows(reader.header, arguments.state)
    let cursor = RowCursor(reader)
    let next = HostFunction("csv.rows", "The next row.") { _ in
      guard let (row, number) = try cursor.next() else { return [.nil] }
      return [rows.table(row), .integer(number)]
    }
    return [.function(arguments.state.closure(next))]
  }

  private static let count = function(
    "csv.count", "Counts the rows below the first line of a file. An error names the first invalid row.",
    Parameter("path", .string, "A file."), options: SeparatorOptions.keys,
    returns: .init(.integer, "The number of rows.")
  ) { module, arguments in
    let reader = try module.reader(arguments)
    var count = 0
    while try reader.nextRow() != nil { count += 1 }
    return [.integer(count)]
  }

  private func reader(_ arguments: Arguments) throws -> CSVReader {
    let separator = try SeparatorOptions(arguments).separator
    return try CSVReader(try permissions.source(arguments.path(0), arguments), separator: separator)
  }
}

/// The options of functions that read rows of text.
struct SeparatorOptions: LuaOptions {
  var separator: Character?
  static let fields: [Field] = [field("The separator of the fields; detected if not given.", \.separator)]

  /// The option `separator`.
  static func field<Options>(
    _ doc: String, _ property: WritableKeyPath<Options, Character?>
  ) -> OptionField<Options> {
    OptionField("separator", property, .string, doc) { value, place in
      let text = value.string ?? ""
      guard text.count == 1, let character = text.first, character.isASCII else {
        throw place.failure("expected one ASCII character, got \"\(text)\"")
      }
      return character
    }
  }
}

/// The position of a script in a file of rows.
@HostActor
private final class RowCursor {
  private let reader: CSVReader
  private var number = 0
  private var hasEnded = false

  init(_ reader: CSVReader) { self.reader = reader }

  func next() throws -> (CSVRow, Int)? {
    guard !hasEnded, let row = try reader.nextRow() else {
      hasEnded = true
      return nil
    }
    number += 1
    return (row, number)
  }
}
