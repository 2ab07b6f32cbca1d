import Automation
import Core
import Files
import HostLoop
import ImportFormats
import ImportReport
import Imports
import JSON
import Lua
import LuaKit
import TableReading
import TaskAPI

extension TasksModule {
  static let recognize = suspending(
    "tasks.recognize",
    "Returns how tasks.import would read a file: its format, its columns with their fields, the first rows as tasks, and the "
      + "doubts that would stop an import. Sends nothing.",
    Parameter("path", .string, "The path of a file; \"-\" for standard input."),
    options: RecognizeOptions.keys,
    returns: .init(.record(.reading), "The reading; tostring returns it as text."),
    example: """
      local reading = b2c.tasks.recognize "examples/data/tasks.csv"
      for _, column in ipairs(reading.columns) do print(column.name, column.kind, column.field) end
      assert(#reading.doubts == 0)
      """
  ) { module, arguments in
    let options = try RecognizeOptions(arguments)
    let path = arguments.path(0)
    let place = try options.report.map { report in
      guard report.isPagePath else {
        throw arguments.failure(option: "report", "expected a file that ends in .html or .htm, got '\(report)'")
      }
      return try module.tasks.session.permissions.write(report, for: arguments)
    }
    let found = try await module.found(path, options.call, arguments)
    let reading = try await module.reading(path, options.call, found, arguments)
    if let place {
      try ReadingPage.write(reading, to: place)
      try module.tasks.attach(place.path)
    }
    return [module.json.value(reading, options.columns, module.tasks.context.state)]
  }

  struct RecognizeOptions: LuaOptions {
    var call = CallOptions()
    var report: String?
    var columns: Int?

    static let fields: [Field] =
      Field.nested(CallOptions.sourceFields, in: \.call) + [
        .init("as_is", \.call.plan.isAsIs, "Read the file as it is, whatever is doubtful about it."),
        .init("report", \.report, .string, "A file for the reading as a page, which ends in .html.") { value, _ in
          value.path
        },
        .init(
          "width", \.columns, in: 40...1000, "The columns of the text that tostring returns; not cut if not given."),
      ]
  }

  /// The columns that the option `map` names; nil without them.
  func mapping(_ map: LuaValue, _ arguments: Arguments) throws -> RowMapping? {
    if let text = map.string {
      do { return try RowMapping(parsing: text) } catch { throw arguments.failure(option: "map", error) }
    }
    guard let table = map.table else { return nil }
    var pairs: [RowMapping.Pair] = []
    for pair in try table.pairs {
      guard let field = pair.key.string, let column = pair.value.string else {
        throw arguments.failure(
          option: "map",
          "expected names of columns by the names of fields, got a \(pair.value.typeName) for "
            + arguments.state.rawText(of: pair.key), hint: "for example map = { text = \"Title\" }")
      }
      pairs.append(RowMapping.Pair(field: field, column: column))
    }
    // Lua's tables have no order; messages have the same one each time.
    return try RowMapping(pairs.sorted { $0.field < $1.field })
  }

  private static let mostRows = 10

  private func reading(
    _ path: String, _ options: CallOptions, _ found: Formats.Found?, _ arguments: Arguments
  ) async throws -> SourceReading {
    let opened = try rowSource(options, arguments, found, isKnownAgain: false)
    var reading = opened.facts ?? SourceReading(path, format: "")
    if options.plan.isAsIs { reading.doubts = [] }
    reading.rows = []
    while reading.rows.count < Self.mostRows, let record = try await opened.rows.next() {
      reading.rows.append(SourceReading.Row(record, try await opened.rows.draft(of: record)))
    }
    return reading
  }
}

extension JSONMarshal {
  /// The reading; `tostring` of it is the text for people.
  fileprivate func value(_ reading: SourceReading, _ columns: Int?, _ state: LuaState) -> LuaValue {
    func list(_ values: [LuaValue]) -> LuaValue { .list(values, metatable: arrayMetatable) }
    let table = state.makeTable()
    table["source"] = .string(reading.source)
    table["format"] = .string(reading.format)
    table["app"] = .string(reading.app)
    table["container"] = .string(reading.container)
    table["encoding"] = .string(reading.encoding)
    table["separator"] = .string(reading.separator.map(String.init))
    table["header_reason"] = .string(reading.reason)
    switch reading.header {
    case .line(let line)?: table["header"] = .integer(line)
    case .none?: table["header"] = .string("none")
    case nil: break
    }
    table["columns"] = list(
      reading.columns.map { column in
        .record([("name", .string(column.name)), ("field", .string(column.field)), ("kind", .string(column.kind))])
      })
    table["doubts"] = list(
      reading.doubts.map { doubt in
        .record([("finding", .string(doubt.finding)), ("remedies", list(doubt.remedies.map { .string($0) }))])
      })
    table["rows"] = list(reading.rows.map(value))
    let metatable = state.makeTable()
    let text = ReadingText.render(reading, columns: columns)
    metatable["__name"] = .string("reading")
    metatable["__tostring"] = .function(
      state.closure(HostFunction("tostring", "", [.any("reading")]) { _ in [.string(text)] }))
    table.metatable = metatable
    return .table(table)
  }

  private func value(_ row: SourceReading.Row) -> LuaValue {
    var task = LuaValue.nil
    var reason: String?
    switch row.draft {
    case .task(let draft): task = value(draft.original)
    case .skipped: break
    case .unusable(_, let problem, _): reason = problem
    }
    return .record([
      ("row", .integer(row.number)), ("line", row.line.map { .integer($0) } ?? .nil), ("task", task),
      ("reason", .string(reason)),
    ])
  }
}
