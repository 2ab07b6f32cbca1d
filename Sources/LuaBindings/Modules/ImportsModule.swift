import HostLoop
import Lua
import TaskImport

extension ScriptHost {
  var importsModule: HostModule {
    HostModule(
      "imports",
      "What tasks.import has done, by the journals it keeps. An import is { id, source, source_name, account, api, state, "
        + "created, updated, rows, added, skipped, failed, unsettled, sent, finished, process, path, trouble }.",
      [importsList, importsGet, importsFailures, importsForget])
  }

  private nonisolated static let name = Parameter("name", .string, "Its ID or the beginning of it, or its source.")

  private var importsList: HostFunction {
    HostFunction(
      "imports.list", "All imports, the last one first.", returns: [.init(.table, "A list of imports.")]
    ) { [self] _ in [.list(try shelf().list().map(value), metatable: json.arrayMetatable)] }
  }

  private var importsGet: HostFunction {
    HostFunction("imports.get", "One import.", [Self.name], returns: [.init(.table, "The import.")]) {
      [self] arguments in [value(try shelf().summary(arguments.string(0)))]
    }
  }

  private var importsFailures: HostFunction {
    HostFunction(
      "imports.failures",
      "An iterator over the rows that failed or are unsettled: for failure, line in imports.failures(name) do … end.",
      [Self.name],
      returns: [
        .init(.function, "Gives each as on_row_failed gets it, and its line of the file of failed rows; then nil.")
      ]
    ) { [self] arguments in
      let failures = try shelf().failures(arguments.string(0))
      let next = HostFunction("imports.failures", "The next failure.") { [self] _ in
        guard let row = try failures.next() else { return [.nil] }
        var failure = row.failure
        failure.original = row.original
        return [value(failure), .string(FailedRowsFile.line(row))]
      }
      return [.function(arguments.state.closure(next))]
    }
  }

  private var importsForget: HostFunction {
    HostFunction(
      "imports.forget",
      "Removes an import's journal: the source is imported as a new one from now on. The tasks stay.", [Self.name],
      returns: [.init(.table, "The import, as it was.")]
    ) { [self] arguments in [value(try shelf().forget(arguments.string(0)))] }
  }

  private func shelf() throws -> JournalShelf { JournalShelf(folder: try importsFolder()) }

  private func value(_ journal: JournalSummary) -> LuaValue {
    .record([
      ("id", .string(journal.shortID)), ("source", .string(journal.identity?.source)),
      ("source_name", .string(journal.identity?.sourceName)), ("account", .string(journal.identity?.accountName)),
      ("api", .string(journal.identity?.api)), ("state", .string(journal.state)),
      ("created", .integer(journal.created)), ("updated", .integer(journal.updated)),
      ("rows", .integer(journal.rows)), ("added", .integer(journal.added)), ("skipped", .integer(journal.skipped)),
      ("failed", .integer(journal.failed)), ("unsettled", .integer(journal.unsettled)),
      ("sent", .integer(journal.sent)), ("finished", .boolean(journal.isFinished)),
      ("process", .integer(journal.holder?.process)), ("path", .string(journal.path)),
      ("trouble", .string(journal.trouble)),
    ])
  }
}

extension JournalSummary {
  /// In words, for people.
  fileprivate var state: String {
    if trouble != nil { return "cannot be read" }
    if let holder { return "under way (process \(holder.process))" }
    if unsettled > 0 { return "\(unsettled) \(unsettled == 1 ? "row" : "rows") unsettled" }
    return isFinished ? "finished" : "stopped at row \(rows)"
  }
}
