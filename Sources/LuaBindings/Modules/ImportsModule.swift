import HostLoop
import Lua
import Permissions
import TaskImport

extension ScriptHost {
  var importsModule: HostModule {
    HostModule(
      "imports",
      "What tasks.import has done, by the journals it keeps.",
      notes: """
        No settings and no account are needed. A script sees the imports that it made itself in this run, and those whose
        source it may read; it forgets those whose source it may write. [Security](Security.md) tells more.
        """,
      example: """
        local imports = require "b2c.imports"

        for _, import in ipairs(imports.list()) do
          print(import.id, import.source, import.state)
          for failure in imports.failures(import.id) do print("", failure.row, failure.reason) end
        end
        """,
      [importsList, importsGet, importsFailures, importsForget])
  }

  private nonisolated static let name = Parameter("name", .string, "Its ID or the beginning of it, or its source.")

  private var importsList: HostFunction {
    HostFunction(
      "imports.list", "All imports that the script may see, the last one first.",
      returns: [.init(.list(of: .record(.importSummary)), "The imports.")]
    ) { [self] _ in [.list(try visibleImports().map(value), metatable: json.arrayMetatable)] }
  }

  private var importsGet: HostFunction {
    HostFunction("imports.get", "One import.", [Self.name], returns: [.init(.record(.importSummary), "The import.")]) {
      [self] arguments in [value(try findImport(arguments.string(0), .read, by: arguments.function.name))]
    }
  }

  private var importsFailures: HostFunction {
    HostFunction(
      "imports.failures",
      "An iterator over the rows that failed or are unsettled: for failure, line in imports.failures(name) do … end.",
      [Self.name],
      returns: [
        .init(
          .callback(
            [],
            returns: [
              .init(.record(.rowFailure), optional: true, "The next one; nil at the end."),
              .init(.string, optional: true, "Its line of the file of failed rows."),
            ]), "Gives each as on_row_failed gets it, and its line of the file of failed rows; then nil.")
      ]
    ) { [self] arguments in
      let failures = try shelf().failures(of: findImport(arguments.string(0), .read, by: arguments.function.name))
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
      returns: [.init(.record(.importSummary), "The import, as it was.")]
    ) { [self] arguments in
      [value(try shelf().forget(findImport(arguments.string(0), .write, by: arguments.function.name)))]
    }
  }

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

extension LuaRecord {
  /// What `value` makes of a journal.
  fileprivate static let importSummary = LuaRecord(
    "import", "An import, as its journal has it.",
    [
      Parameter("id", .string, "What it is known by."),
      Parameter("source", .string, optional: true, "What was imported: a path, or whose rows."),
      Parameter("source_name", .string, optional: true, "The same, short."),
      Parameter("account", .string, optional: true, "The name of the account."),
      Parameter("api", .string, optional: true, "The URL of the task API."),
      Parameter(
        "state", .string,
        "In words: finished, stopped at row 1200, 3 rows unsettled, under way (process 4711), cannot be read."),
      Parameter("created", .integer, "When it began, in Unix seconds."),
      Parameter("updated", .integer, "When its journal was last written, in Unix seconds."),
      Parameter("rows", .integer, "How many rows it has come to."),
      Parameter("added", .integer, "Those of which there are tasks now."),
      Parameter("skipped", .integer, "Those left out."),
      Parameter("failed", .integer, "Those that were not added."),
      Parameter("unsettled", .integer, "Those that may have been added, and nobody can tell."),
      Parameter("sent", .integer, "Those whose answer never came, which the next run finds out about."),
      Parameter("finished", .boolean, "Whether it came to its end."),
      Parameter("process", .integer, optional: true, "The process in which it is under way."),
      Parameter("path", .string, "The file of its journal."),
      Parameter("trouble", .string, optional: true, "Why the journal cannot be read."),
    ])
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
