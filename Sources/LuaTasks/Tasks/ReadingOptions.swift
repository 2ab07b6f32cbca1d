import Encodings
import HostLoop
import ImportFormats
import Lua
import LuaKit
import TableReading

/// The options of `tasks.import` that say how a file is read.
struct ReadingOptions: LuaOptions {
  var encoding: TextEncoding?
  var sheet: String?
  var header: TableShape.Header?
  var skippedLines = 0
  var dateOrder: DateOrder?
  var values: ValueMap?

  static let fields: [Field] = [
    .init(
      "encoding", \.encoding, .string,
      "The encoding of the text: \(names). If not given, the program finds it by the bytes."
    ) { value, place in
      guard let encoding = TextEncoding(name: value.string ?? "") else {
        throw place.failure("expected one of \(names), got \"\(value.string ?? "")\"")
      }
      return encoding
    }
    .flag("--encoding NAME", "the encoding of the text, such as windows-1252; found if not given"),
    .init(
      "sheet", \.sheet,
      "The name or the number of the sheet of a workbook, or the name of the list in a zip archive. If not given: the first sheet "
        + "with a table, and the only list."
    )
    .flag("--sheet NAME", "the sheet of a workbook, or the list in a zip archive"),
    .init(
      "header", \.header, .either([.integer, .string]),
      "The line with the names of the columns, or \"none\": the columns are then called Column 1, Column 2 and so on. If not "
        + "given, the program finds the line."
    ) { value, place in
      if value.string == "none" { return TableShape.Header.none }
      guard let number = value.integer ?? value.string.flatMap({ Int64($0) }), (1...1_000_000).contains(number) else {
        throw place.failure("expected the number of a line, or \"none\"")
      }
      return .line(Int(number))
    }
    .flag("--header N", "the line with the names of the columns, or none; found if not given"),
    .init("skip_lines", \.skippedLines, in: 0...1_000_000, "The lines above the table that are passed over.")
      .flag("--skip-lines N", "the lines above the table that are passed over"),
    .choice(
      "date_format", \.dateOrder,
      "The order of dates such as 3/4/2026. If not given, the values of the column decide."
    )
    .flag("--date-format ORDER", "day-first or month-first, for dates such as 3/4/2026"),
    .init(
      "values", \.values, .either([.map(of: .any), .string]),
      "The meanings of words of the file that the program does not know, by field: { priority = { hoch = 1, mittel = 5 } } or "
        + "\"priority:hoch=1,mittel=5\"."
    ) { try values($0, $1) }
    .flag(
      "--values FIELD:WORD=VALUE", "what words of the file mean: priority:hoch=1,mittel=5; may be repeated",
      isMany: true),
  ]

  private static let names = TextEncoding.allCases.map(\.rawValue).joined(separator: ", ")

  /// `"priority:hoch=1"` or `{ priority = { hoch = 1 } }`.
  @HostActor private static func values(_ value: LuaValue, _ place: OptionPlace) throws -> ValueMap {
    do {
      if let text = value.string { return try ValueMap(parsing: text) }
      let state = place.arguments.state
      var map = ValueMap()
      for (field, words) in try value.table?.pairs ?? [] {
        guard let words = words.table else {
          throw place.failure(
            "expected a table of words for \(state.rawText(of: field)), got a \(words.typeName)",
            hint: "for example values = { priority = { hoch = 1, mittel = 5 } }")
        }
        for (word, meaning) in try words.pairs {
          try map.add(state.rawText(of: word), to: state.rawText(of: field), meaning: state.rawText(of: meaning))
        }
      }
      return map
    } catch let error as ImportError { throw place.failure(error.message, hint: error.hint) }
  }

  /// The file, to be read as the options say, else as in an earlier run.
  /// - Parameter mapping: the columns that the caller names.
  func applied(
    to source: SourceFile, _ mapping: RowMapping? = nil, _ kept: KeptReading? = nil
  ) -> SourceFile {
    var source = source
    source.encoding = encoding ?? kept?.encoding
    source.part = sheet ?? source.part
    source.header = header ?? (skippedLines > 0 ? nil : kept?.header)
    source.skippedLines = skippedLines
    source.expect(mapping)
    return source
  }

  /// Throws for an option that cannot change the reading.
  @HostActor func check(_ reading: FileReading, _ separator: Character?, _ arguments: Arguments) throws(LuaError) {
    let reader = reading.reader
    func refuse(_ option: String, _ problem: String, _ hint: String) -> LuaError {
      arguments.failure(option: option, "it has no effect with \(problem)", hint: hint)
    }
    if skippedLines > 0, case .line(let line)? = header {
      throw refuse(
        "skip_lines", "--header (header in a script)",
        "--header \(line) counts the lines of the file: leave --skip-lines out (skip_lines in a script)")
    }
    if sheet != nil, !reading.hasParts {
      throw refuse("sheet", "\(reader.name), which is neither a workbook nor an archive", "leave it out")
    }
    guard reader.columns == nil else { return }
    let given = [("header", header != nil), ("skip_lines", skippedLines > 0), ("separator", separator != nil)]
    for (option, isGiven) in given where isGiven {
      throw refuse(
        option, "the format \(reader.format.rawValue), which has no columns",
        "--format csv (format = \"csv\" in a script) reads a table")
    }
  }
}
