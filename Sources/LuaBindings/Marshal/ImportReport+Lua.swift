import Automation
import HostLoop
import JSON
import Lua
import TaskAPI
import TaskImport

/// What scripts get to see of an import.
extension ScriptHost {
  /// What `on_row_failed` gets.
  func value(_ failure: RowFailure) -> LuaValue {
    .record([
      ("row", .integer(failure.row)), ("line", .integer(failure.line)), ("reason", .string(failure.reason)),
      ("code", .string(failure.code)), ("status", .integer(failure.status)), ("text", .string(failure.text)),
      ("unsettled", .boolean(failure.isUnsettled)), ("original", json.optional(failure.original)),
    ])
  }

  /// What `on_row_failed` returned.
  func decision(_ value: LuaValue, on failure: RowFailure) throws -> FailureDecision {
    switch (value, value.string) {
    case (.nil, _): .keep
    case (_, "skip"): .skip
    case (_, "stop"): .stop
    default: .change(try draft(value, for: "tasks.import: on_row_failed, row \(failure.row)"))
    }
  }

  /// The report; `tostring` of it is what people read.
  func value(_ summary: ImportSummary) -> LuaValue {
    let report = summary.report
    let table = state.makeTable()
    let counts = [
      ("total", report.total), ("added", report.added), ("added_now", report.addedNow), ("skipped", report.skipped),
      ("failed", report.failed),
      ("unsettled", report.unsettled), ("unsent", report.unsent),
    ]
    for (name, count) in counts { table[name] = .integer(count) }
    table["resumed_at"] = .integer(report.resumedAt)
    table["seconds"] = .number(report.seconds)
    table["failures"] = .list(report.failures.map(value), metatable: json.arrayMetatable)
    table["journal"] = .string(summary.journal)
    table["failed_rows"] = .string(summary.failedRows)
    let metatable = state.makeTable()
    let text = ImportSummaryText.render(summary)
    metatable["__name"] = .string("import report")
    metatable["__tostring"] = .function(
      state.closure(HostFunction("tostring", "", [.any("report")]) { _ in [.string(text)] }))
    table.metatable = metatable
    return .table(table)
  }

  /// The options of a call as its report has them: those that JSON can say.
  func shown(_ options: [String: LuaValue]) -> [String: JSON] {
    options.compactMapValues { value in
      if case .object = value { return nil }
      return value.function == nil ? try? json.json(value) : "a function"
    }
  }

  /// Says which rows failed in this run, where no handler of the script's hears of them; of very many, the first ones.
  func tell(_ summary: ImportSummary) {
    let told = summary.report.failures.sorted { $0.row < $1.row }.prefix(10)
    for failure in told {
      let line = failure.line.map { " (line \($0))" } ?? ""
      let outcome = failure.isUnsettled ? "is unsettled" : "was not added"
      console.log(.warn, "row \(failure.row)\(line) \(outcome): \(failure.reason)")
    }
    let rest = summary.statistics.failures.values.reduce(0) { $0 + $1.count } - told.count
    if rest > 0 { console.log(.warn, "\(rest) more rows were not added") }
  }
}
