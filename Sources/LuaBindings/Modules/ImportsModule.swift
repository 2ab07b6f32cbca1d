import Automation
import HostLoop
import Lua
import Permissions
import TaskImport

/// `b2c.imports`
struct ImportsModule: LuaModule {
  let automation: Automation
  let json: JSONMarshal

  var module: HostModule {
    HostModule(
      "imports",
      "The imports that tasks.import has made, by their journals.",
      notes: """
        No settings and no account are needed. A script sees the imports of its own run, and the imports whose source
        it may read. It can forget the imports whose source it may write. See [Security](Security.md).
        """,
      example: """
        local imports = require "b2c.imports"

        for _, import in ipairs(imports.list()) do
          print(import.id, import.source, import.state)
          for failure in imports.failures(import.id) do print("", failure.row, failure.reason) end
        end
        """,
      [list, get, failures, forget])
  }

  private static let name = Parameter("name", .string, "The ID of the import, the beginning of the ID, or the source.")

  private var list: HostFunction {
    HostFunction(
      "imports.list", "All imports that the script may read, the latest first.",
      returns: [.init(.list(of: .record(.importSummary)), "The imports.")]
    ) { _ in [.list(try automation.visibleImports().map(value), metatable: json.arrayMetatable)] }
  }

  private var get: HostFunction {
    HostFunction("imports.get", "One import.", [Self.name], returns: [.init(.record(.importSummary), "The import.")]) {
      arguments in [value(try find(arguments, .read))]
    }
  }

  private var failures: HostFunction {
    HostFunction(
      "imports.failures",
      "An iterator over the rows that failed or are unsettled: for failure, line in imports.failures(name) do … end.",
      [Self.name],
      returns: [
        .init(
          .callback(
            [],
            returns: [
              .init(.record(.rowFailure), optional: true, "The next failure; nil at the end."),
              .init(.string, optional: true, "The line for it in the file of failed rows."),
            ]), "The iterator over the failures and their lines.")
      ]
    ) { arguments in
      let failures = try automation.journals().failures(of: find(arguments, .read))
      let next = HostFunction("imports.failures", "The next failure.") { _ in
        guard let row = try failures.next() else { return [.nil] }
        var failure = row.failure
        failure.original = row.original
        return [json.value(failure), .string(FailedRowsFile.line(row))]
      }
      return [.function(arguments.state.closure(next))]
    }
  }

  private var forget: HostFunction {
    HostFunction(
      "imports.forget",
      "Removes an import's journal. The next import of the source adds all rows. The tasks stay.", [Self.name],
      returns: [.init(.record(.importSummary), "The removed import.")]
    ) { arguments in [value(try automation.journals().forget(find(arguments, .write)))] }
  }

  private func find(_ arguments: Arguments, _ use: Permissions.FileUse) throws -> JournalSummary {
    try automation.findImport(arguments.string(0), use, by: arguments.function.name)
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
  /// A journal as scripts see it.
  fileprivate static let importSummary = LuaRecord(
    "import", "An import, as recorded in its journal.",
    [
      Parameter("id", .string, "The ID of the import."),
      Parameter("source", .string, optional: true, "The source: a path, or the name of another source."),
      Parameter("source_name", .string, optional: true, "The source in short."),
      Parameter("account", .string, optional: true, "The name of the account."),
      Parameter("api", .string, optional: true, "The URL of the task API."),
      Parameter(
        "state", .string,
        "In words: finished, stopped at row 1200, 3 rows unsettled, under way (process 4711), cannot be read."),
      Parameter("created", .integer, "The start of the import, in Unix seconds."),
      Parameter("updated", .integer, "The last write to the journal, in Unix seconds."),
      Parameter("rows", .integer, "The number of rows read so far."),
      Parameter("added", .integer, "The rows that are tasks now."),
      Parameter("skipped", .integer, "The rows that were left out."),
      Parameter("failed", .integer, "The rows that were not added."),
      Parameter("unsettled", .integer, "The rows of unknown fate: they may have been added."),
      Parameter("sent", .integer, "The rows sent without a response. The next run checks them."),
      Parameter("finished", .boolean, "True if the import finished."),
      Parameter("process", .integer, optional: true, "The ID of the process that runs the import."),
      Parameter("path", .string, "The path of the journal."),
      Parameter("trouble", .string, optional: true, "The reason why the journal cannot be read."),
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
