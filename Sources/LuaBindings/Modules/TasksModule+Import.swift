import HostLoop
import JOSE
import Lua
import TaskAPI
import TaskImport

extension ScriptHost {
  var tasksImport: HostFunction {
    .suspending(
      "tasks.import", "Adds a task for each row of a CSV file, or for each value of an iterator.",
      [
        Parameter(
          "source", .either([.string, .function]),
          "The path of a CSV file, or a function that returns the next task, then nil."),
        .options([
          Parameter("format", .choice(["csv"]), optional: true, "By the file's extension if not given."),
          Parameter("separator", .string, optional: true, "Between the fields of a CSV file; a comma if not given."),
          Parameter(
            "map", .function, optional: true,
            "Called with each row, by column name, and its number; returns a task, or nil to skip it."),
          Parameter("concurrency", .integer, optional: true, "Requests under way at once; 16 if not given."),
          Parameter(
            "retries", .integer, optional: true, "How often to wait for a server that takes nothing; 5 if not given."),
          Parameter(
            "on_row_failed", .function, optional: true,
            "Called with { row, line, reason, code, status, text, unsettled }."),
          Parameter("progress", .boolean, optional: true, "false: show none."),
          Parameter(
            "account", .object("account"), optional: true, "Whose tasks; those of the current account if not given."),
        ]),
      ],
      returns: [.init(.table, "{ total, added, skipped, failed, seconds, failures }.")]
    ) { [self] arguments in
      let source = try rowSource(arguments)
      let identity = ImportIdentity(source: "", account: "", accountName: "", api: "")
      let engine = ImportEngine(
        client: try taskClient(arguments), journal: try await .inMemory(identity), options: try importOptions(arguments))
      if let handler = arguments["on_row_failed"].function {
        engine.onRowFailed = { [self] failure in
          _ = try await handler.call([value(failure)])
          return .keep
        }
      }
      let progress = ImportProgress(console)
      if arguments["progress"].boolean ?? true { engine.onProgress = { progress.show($0) } }
      defer { progress.end() }
      let report: ImportReport
      do { report = try await engine.run(source) } catch let error as CancellationError {
        let done = engine.report
        console.log(.warn, "the import was stopped: \(done.added) of \(done.total) rows read were added")
        throw error
      }
      failedRows += report.failed
      if engine.onRowFailed == nil { tell(report) }
      return [value(report)]
    }
  }

  /// Says which rows failed, where no handler of the script's hears of them; of very many, the first ones.
  private func tell(_ report: ImportReport) {
    let told = report.failures.prefix(10)
    for failure in told {
      let line = failure.line.map { " (line \($0))" } ?? ""
      console.log(.warn, "row \(failure.row)\(line) was not added: \(failure.reason)")
    }
    if report.failed > told.count { console.log(.warn, "\(report.failed - told.count) more rows were not added") }
  }

  private func importOptions(_ arguments: Arguments) throws -> ImportOptions {
    var options = ImportOptions()
    if let concurrency = arguments["concurrency"].integer {
      guard (1...1024).contains(concurrency) else {
        throw arguments.failure("option 'concurrency': expected 1 to 1024, got \(concurrency)")
      }
      options.concurrency = 1...Int(concurrency)
    }
    if let retries = arguments["retries"].integer {
      guard (0...1000).contains(retries) else {
        throw arguments.failure("option 'retries': expected 0 to 1000, got \(retries)")
      }
      options.retries = Int(retries)
    }
    return options
  }

  private func rowSource(_ arguments: Arguments) throws -> any RowSource {
    let map = arguments["map"].function
    if let iterator = arguments[0].function { return IteratorRowSource(iterator, map: map, self) }
    let path = arguments.string(0)
    let isTabs = path.lowercased().hasSuffix(".tsv")
    if arguments["format"].isNil, !isTabs, !path.lowercased().hasSuffix(".csv") {
      throw arguments.failure(
        "argument 1: cannot tell the format of \(path) by its extension", hint: "it reads CSV: give format = \"csv\"")
    }
    let reader = try CSVReader(path: path, separator: try separator(arguments) ?? (isTabs ? "\t" : ","))
    guard let map else { return try CSVRowSource(reader) }
    let rows = LuaRows(reader.header, state)
    return try CSVRowSource(reader) { [self] fields, number in
      let result = try await map.call([rows.table(fields), .integer(Int64(number))]).first ?? .nil
      return result.isNil ? nil : try draft(result, for: "tasks.import: map, row \(number)")
    }
  }

  private func value(_ failure: RowFailure) -> LuaValue {
    .record([
      ("row", .integer(failure.row)), ("line", .integer(failure.line)), ("reason", .string(failure.reason)),
      ("code", .string(failure.code)), ("status", .integer(failure.status)), ("text", .string(failure.text)),
      ("unsettled", .boolean(failure.isUnsettled)),
    ])
  }

  private func value(_ report: ImportReport) -> LuaValue {
    .record([
      ("total", .integer(report.total)), ("added", .integer(report.added)), ("skipped", .integer(report.skipped)),
      ("failed", .integer(report.failed)), ("seconds", .number(report.seconds)),
      ("failures", .list(report.failures.map(value), metatable: json.arrayMetatable)),
    ])
  }
}

/// Rows from a Lua function that returns the next one, then nil.
@HostActor
private final class IteratorRowSource: RowSource {
  private let iterator: LuaFunction
  private let map: LuaFunction?
  private let host: ScriptHost
  private var number = 0
  private var last = LuaValue.nil
  /// A generator must not be called again after its end.
  private var hasEnded = false

  init(_ iterator: LuaFunction, map: LuaFunction?, _ host: ScriptHost) {
    self.iterator = iterator
    self.map = map
    self.host = host
  }

  var bytesRead: Int { 0 }
  var totalBytes: Int? { nil }

  func next() async throws -> SourceRecord? {
    guard !hasEnded else { return nil }
    guard let value = try await iterator.call().first, !value.isNil else {
      hasEnded = true
      return nil
    }
    number += 1
    last = value
    // Nobody knows such a source again in another run.
    return SourceRecord(number: number, content: .opaque, fingerprint: 0)
  }

  func draft(of record: SourceRecord) async throws -> RowDraft {
    var value = last
    last = .nil
    if let map {
      value = try await map.call([value, .integer(Int64(number))]).first ?? .nil
      if value.isNil { return .skipped }
    }
    return RowDraft(try host.draft(value, for: "tasks.import: row \(number)"))
  }
}
