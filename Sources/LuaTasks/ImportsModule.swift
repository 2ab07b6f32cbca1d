import HostLoop
import ImportEngine
import ImportFormats
import Imports
package import Lua
package import LuaKit
import Permissions
import TaskAPI

/// `b2c.imports`
package struct ImportsModule: LuaModule {
  private let scriptTasks: ScriptTasks
  var imports: RunImports { scriptTasks.imports }
  let json: JSONMarshal

  package init(_ tasks: ScriptTasks) {
    scriptTasks = tasks
    json = tasks.context.json
  }

  /// The module, for the documentation and for `b2c`.
  package var module: HostModule {
    HostModule(
      "imports", "The imports of tasks.import, as recorded in their journals.",
      notes: """
        The module needs no settings and no account. A script sees the imports of this run, and the imports whose source
        it may read. It can forget the imports whose source it may write. See the page
        [Permissions and security](Security.md).
        """,
      example: """
        local imports = require "b2c.imports"

        for _, import in ipairs(imports.list()) do
          print(import.id, import.source, import.state)
          for failure in imports.failures(import.id) do print("", failure.row, failure.reason) end
        end
        """, functions)
  }

  package static let functions: [ModuleFunction<Self>] = [list, get, failures, tasks, undo, receipt, forget]

  private static let name = Parameter("name", .string, "The ID of the import, the beginning of the ID, or the source.")

  private static let list = suspending(
    "imports.list", "All imports that the script may read, the latest first.",
    returns: .init(.list(of: .record(summary.record)), "The imports.")
  ) { module, _ in
    let visible = try await module.imports.visible().map { try module.imports.described($0) }
    return [.list(visible.map(summary.value), metatable: module.json.arrayMetatable)]
  }

  private static let get = suspending(
    "imports.get", "Finds an import.", Self.name, returns: .init(.record(summary.record), "The import.")
  ) { module, arguments in
    let found = try await module.find(arguments, .read)
    let count = try module.imports.taskCount(of: found)
    guard case .record(let fields) = summary.value(try module.imports.described(found)) else { return [] }
    return [.record(fields.map { $0.name == "with_ids" ? ($0.name, .integer(count)) : $0 })]
  }

  private static let failures = suspending(
    "imports.failures",
    "An iterator over the rows that failed or are unsettled: for failure, line in imports.failures(name) do … end.",
    Self.name,
    returns: .init(
      .functionReturning(
        .init(.record(.rowFailure), optional: true, "The next failure; nil at the end."),
        .init(.string, optional: true, "The line of this failure in the file of failed rows.")), "The iterator.")
  ) { module, arguments in
    let read = try module.imports.failures(of: try await module.find(arguments, .read))
    let next = HostFunction.suspending("imports.failures", "The next failure.") { _ in
      guard let row = try await read() else { return [.nil] }
      var failure = row.failure
      failure.original = row.original
      return [module.json.value(failure), .string(FailedRowsFile.line(row))]
    }
    return [.function(arguments.state.closure(next))]
  }

  private static let tasks = suspending(
    "imports.tasks", "An iterator over the added rows and their tasks: for task in imports.tasks(name) do … end.",
    Self.name,
    returns: .init(
      .functionReturning(.init(.record(task.record), optional: true, "The next added row; nil at the end.")),
      "The iterator.")
  ) { module, arguments in
    let rows = try module.imports.tasks(of: try await module.find(arguments, .read))
    let next = HostFunction("imports.tasks", "The next added row.") { _ in
      [try rows().map(task.value) ?? .nil]
    }
    return [.function(arguments.state.closure(next))]
  }

  private static let task = ValueRecord<JournaledTask>(
    "imported_task", "An added row of an import, with its task.",
    .init("row", .integer, "The number of the row, counting from 1.") { .integer($0.row) },
    .init("source_id", .string, optional: true, "The ID that the source has for the task.") { .string($0.sourceID) },
    .init("id", .string, optional: true, "The ID that the server gave the task; nil if it is not known.") {
      .string($0.task?.id)
    },
    .init("etag", .string, optional: true, "The version of the task that the server answered.") {
      .string($0.task?.entityTag)
    },
    .init("list", .string, optional: true, "The ID of the task's list.") { .string($0.task?.list) })

  private static let undo = suspending(
    "imports.undo",
    "Takes an import, a plan or an undo back: what it added is removed, what it changed gets its old values, what it removed is "
      + "added again. A task that somebody has changed since is kept as it is. Without apply, the plan of the undo is returned, "
      + "and nothing is changed.",
    Self.name, options: UndoOptions.keys,
    returns: .init(
      .either([.record(.plan), .record(.planResult)]), "With apply, what became of the rows; else the plan."),
    example: """
      b2c.tenant.sign_in()
      local done = b2c.tasks.complete { b2c.tasks.add "Buy milk", b2c.tasks.add "Water the plants" }
      local result = b2c.imports.undo(done.id, { apply = true })
      assert(result.counts.reversed == 2)
      """
  ) { module, arguments in
    let options = try UndoOptions(arguments)
    let found = try await module.find(arguments, .read)
    let undo = try Undo(of: found, options.plan.call(arguments, module.scriptTasks), module.imports)
    let (json, state) = (module.json, arguments.state)
    guard !options.applies else { return [json.value(try await undo.run(), state)] }
    let plan = try await undo.plan(to: options.file)
    let summary = try PlanSummary(plan, path: options.file)
    let command = found.shortID.map { "imports undo \($0) --apply" }
    return [json.value(summary, columns: options.columns, module.scriptTasks.context, command: command)]
  }

  private struct UndoOptions: LuaOptions {
    var applies = false
    var file: String?
    var columns = 80
    var plan = PlanApplyOptions()

    static let fields: [Field] =
      [
        .init("apply", \.applies, "Take it back now. If not given, the plan of the undo is returned."),
        .init("plan", \.file, .string, "A file for the plan of the undo, which tasks.apply carries out.") { value, _ in
          value.path
        },
        .init("width", \.columns, in: 40...1000, "The columns of the text of the plan; 80 if not given."),
      ] + Field.nested(PlanApplyOptions.fields, in: \.plan)
  }

  private static let receipt = suspending(
    "imports.receipt",
    "Writes the receipt of a plan that was carried out: each row of its source with what became of it.",
    Self.name, Parameter("path", .string, "The CSV file."),
    returns: .init(.record(.planResult), "The outcome of the rows.")
  ) { module, arguments in
    let found = try await module.find(arguments, .read)
    let result = try module.imports.writeReceipt(of: found, to: arguments.path(1), by: arguments.function.name)
    return [module.json.value(result, arguments.state)]
  }

  private static let forget = suspending(
    "imports.forget", "Removes an import's journal. The next import of the source adds all rows. The tasks stay.",
    Self.name, returns: .init(.record(summary.record), "The removed import.")
  ) { module, arguments in
    let found = try await module.find(arguments, .write)
    let described = try module.imports.described(found)
    try await module.imports.forget(found)
    return [summary.value(described)]
  }

  private func find(_ arguments: Arguments, _ use: Permissions.FileUse) async throws -> JournalSummary {
    try await imports.find(arguments.path(0), use, by: arguments.function.name)
  }

  private static func machines(_ journal: JournalSummary) -> LuaValue {
    let machines = (journal.shared?.workers ?? []).filter(\.isAlive).map { LuaValue.string($0.text) }
    return machines.isEmpty ? .nil : .list(machines)
  }

  private static let summary = ValueRecord<DescribedImport>(
    "import", "An import, as recorded in its journal.",
    .init("id", .string, "The ID of the import.") { .string($0.shortID) },
    .init("source", .string, optional: true, "The source: a path, or the name of another source.") {
      .path($0.identity?.source)
    },
    .init("source_name", .string, optional: true, "The source in short.") { .path($0.identity?.sourceName) },
    .init("account", .string, optional: true, "The name of the account.") { .string($0.identity?.accountName) },
    .init("api", .string, optional: true, "The URL of the task API.") { .string($0.identity?.api) },
    .init(
      "state", .string,
      "In words: finished, stopped at row 1200, 3 rows unsettled, under way (process 4711), under way on 3 machines, taken back (undo 9c200ec3), cannot be read."
    ) { .string($0.state) },
    .init("created", .integer, "The start of the import, in Unix seconds.") { .integer($0.created) },
    .init("updated", .integer, "The last write to the journal, in Unix seconds.") { .integer($0.updated) },
    .init("kind", .string, "import; plan for an import with a plan; undo.") {
      .string($0.kind.rawValue)
    },
    .init("undone_by", .string, optional: true, "The ID of the undo that took rows back; nil without one.") {
      .string($0.undoneBy)
    },
    .init("rows", .integer, "The number of rows read so far; of a plan, those that send something.") {
      .integer($0.rows)
    },
    .init("plan_rows", .integer, optional: true, "The number of all rows of a plan; nil without a plan.") {
      .integer($0.planRows)
    },
    .init("added", .integer, "The rows that are tasks now; of a plan or an undo, the rows that were carried out.") {
      .integer($0.counts.added)
    },
    .init(
      "with_ids", .integer, optional: true,
      "The added rows whose tasks have IDs in the journal; nil in imports.list, and for an import in a database."
    ) { _ in .nil },
    .init("skipped", .integer, "The rows that were skipped.") { .integer($0.counts.skipped) },
    .init("failed", .integer, "The rows that were not added.") { .integer($0.counts.failed) },
    .init("unsettled", .integer, "The unsettled rows: the server may have added them.") {
      .integer($0.counts.unsettled)
    },
    .init("sent", .integer, "The rows sent without a response. The next run checks them.") {
      .integer($0.counts.unknown)
    },
    .init("finished", .boolean, "True if the import finished.") { .boolean($0.isFinished) },
    .init(
      "machines", .list(of: .string), optional: true,
      "The machines that work on an import in a database; nil if none does."
    ) { Self.machines($0.journal) },
    .init("blocks", .integer, optional: true, "The blocks of an import in a database that are not done.") {
      .integer($0.shared?.blocks.count)
    },
    .init("rate", .number, optional: true, "The maximum number of rows per second of all machines together.") {
      $0.shared?.rate.map { .number($0) } ?? .nil
    },
    .init("process", .integer, optional: true, "The ID of the process that runs the import.") {
      .integer($0.holder?.process)
    },
    .init("path", .string, "The path of the journal.") { .path($0.path) },
    .init("trouble", .string, optional: true, "The reason why the journal cannot be read.") {
      .string($0.trouble?.message)
    })
}

extension DescribedImport {
  /// In words, for people.
  fileprivate var state: String {
    if journal.trouble != nil { return "cannot be read" }
    if let state = journal.shared?.state { return state }
    if let holder = journal.holder { return "under way (process \(holder.process))" }
    if journal.counts.unsettled > 0 { return "\(counted(journal.counts.unsettled, "row")) unsettled" }
    if let undoneBy { return "taken back (undo \(undoneBy))" }
    return journal.isFinished ? "finished" : "stopped at row \(journal.rows)"
  }
}

extension SharedSummary {
  /// In words, for people; nil for an import that is done.
  fileprivate var state: String? {
    let alive = workers.count(where: \.isAlive)
    if let trouble { return "stopped: \(trouble)" }
    if blocks.held > 0 { return "\(counted(blocks.held, "block")) held" }
    if alive > 0 { return "under way on \(counted(alive, "machine"))" }
    if blocks.count + unknown > 0 { return "stopped, \(blocks.count) blocks to do" }
    return nil
  }
}

extension WorkerSummary {
  /// `db2 (process 4711): 12,000 rows, 800/s, 2 blocks`
  fileprivate var text: String {
    "\(machine) (process \(process)): \(added + failed) rows, \(Int(rate))/s, \(blocks) \(blocks == 1 ? "block" : "blocks")"
  }
}
