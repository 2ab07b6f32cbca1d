import Automation
import Core
import HostLoop
import ImportEngine
import Imports
import JSON
import Lua
import LuaKit
import TaskAPI
import TaskPlans

extension TasksModule {
  static let apply = suspending(
    "tasks.apply",
    "Carries out a plan: does exactly what it says, or does not do it. A task that somebody has changed since the plan was made is "
      + "a conflict, and stays as it is. After an interruption, the same call continues.",
    Parameter("plan", .either([.string, .record(.plan)]), "The file of the plan, or what tasks.plan has returned."),
    options: PlanApplyOptions.keys,
    returns: .init(.record(.planResult), "The outcome of the rows; tostring returns it as text."),
    example: """
      b2c.tenant.sign_in()
      local words = { "Buy milk", "Water the plants" }
      local plan = b2c.tasks.plan(function() return table.remove(words, 1) end)
      local result = b2c.tasks.apply(plan)
      print(result.counts.created, result)
      """
  ) { module, arguments in
    let options = try PlanApplyOptions(arguments)
    let plan = try module.plan(arguments)
    let result = try await module.tasks.imports.apply(plan, options.call(arguments, module.tasks))
    return [module.json.value(result, module.tasks.context.state)]
  }
}

extension TasksModule {
  /// The plan of the first argument: the path of its file, or the record of a plan that this run has made.
  private func plan(_ arguments: Arguments) throws -> PlanReader {
    let (imports, call) = (tasks.imports, arguments.function.name)
    guard let table = arguments[0].table else { return try imports.plan(arguments.path(0), by: call) }
    guard let path = table["path"].path else { return try imports.plan(id: table["id"].string ?? "", by: call) }
    let plan = try imports.plan(path, by: call)
    // The caller means the plan that was made then, which somebody may have approved.
    if let digest = table["digest"].string, digest != plan.digest {
      throw LuaError(
        code: "plan_changed",
        message: "\(call): \(path) is another plan now: its digest is \(plan.digest), expected \(digest)",
        hint: "make a new plan, and let it be approved again")
    }
    return plan
  }
}

/// The options of functions that carry a plan out.
struct PlanApplyOptions: LuaOptions {
  var sending = ImportPlanOptions()
  var receipt: String?
  var report: String?
  var service = ServiceOptions()

  static let fields: [Field] =
    [
      .init(
        "receipt", \.receipt, .string,
        "A CSV file for the receipt: the columns of the source, and what became of each row."
      ) { value, _ in value.path },
      .init("report", \.report, .string, "A JSON file for what became of each row.") { value, _ in value.path },
    ]
    + Field.nested(
      ImportPlanOptions.sendingFields + [ImportPlanOptions.unsettledField, ImportPlanOptions.progressField],
      in: \.sending)
    + Field.nested([ServiceOptions.serviceField, ServiceOptions.laterAccountField], in: \.service)

  @HostActor func call(_ arguments: Arguments, _ tasks: ScriptTasks) -> PlanCall {
    let (timeout, service) = (sending.timeout, service)
    var call = PlanCall(arguments.function.name) { header in
      try await tasks.place(of: header, service, arguments, timeout: timeout)
    }
    call.options = sending.options
    call.options.concurrency = sending.concurrency ?? call.options.concurrency
    call.isConcurrencyGiven = sending.concurrency != nil
    call.progress = sending.progress
    call.receipt = receipt
    call.report = report
    return call
  }
}

extension ScriptTasks {
  /// The place that a plan names: its task service, or the task API for its account. The options of the call come first.
  func place(
    of header: PlanHeader, _ given: ServiceOptions, _ arguments: Arguments, timeout: Double
  ) async throws -> ImportPlace {
    let planned = header.place["account"]?.string
    func account() async throws -> LuaAccount? {
      if !given.account.isNil { return try await accounts.given(given.account, arguments) }
      if let planned, let found = try? await session.accounts.account(named: planned) {
        return try accounts.value(of: found)
      }
      return try await accounts.current()
    }
    if given.service.isNil, let name = header.place["service"]?.string {
      let account = planned == nil && given.account.isNil ? nil : try await account()
      return .service(
        try await services.declared(named: name, header.place["options"]?.object ?? [:], account: account))
    }
    if let service = try await services.declared(arguments), header.place["account"] == nil || !given.service.isNil {
      return .service(service)
    }
    let found = try await account()
    let account = if let found { found } else { try await accounts.required(.nil, by: arguments.function.name) }
    return .api(try session.taskClient(of: account.account, timeout: timeout), account.account)
  }
}

extension JSONMarshal {
  /// The outcome of a plan; `tostring` of it is the text for people.
  @HostActor func value(_ result: PlanResult, _ state: LuaState) -> LuaValue {
    let table = state.makeTable()
    table["id"] = .string(result.id)
    table["undo_command"] = .string(result.undoCommand)
    table["complete"] = .boolean(result.isComplete)
    table["was_done"] = .boolean(result.wasDone)
    table["counts"] = .record(PlanOutcome.Kind.allCases.map { ($0.rawValue, .integer(result.counts[$0] ?? 0)) })
    let open = result.open.map { row, outcome in
      LuaValue.record([
        ("row", .integer(row.row)), ("text", .string(row.text)), ("outcome", .string(outcome.kind.rawValue)),
        ("task", .string(outcome.task)), ("reason", .string(outcome.reason)),
      ])
    }
    table["open"] = .list(open, metatable: arrayMetatable)
    let metatable = state.makeTable()
    let text = PlanResultText.render(result)
    metatable["__name"] = .string("plan result")
    metatable["__tostring"] = .function(
      state.closure(HostFunction("tostring", "", [.any("result")]) { _ in [.string(text)] }))
    table.metatable = metatable
    return .table(table)
  }
}

extension LuaRecord {
  static let planResult = LuaRecord(
    "plan result", "The outcome of a plan. tostring returns it as text.",
    .optional("id", .string, "The ID for imports.undo and imports.get."),
    .optional(
      "undo_command", .string,
      "The command that takes it back, with the options of this run; nil if the tasks end with the run."),
    Parameter("complete", .boolean, "True if no row needs a look."),
    Parameter("was_done", .boolean, "True if an earlier run had carried the plan out to its end."),
    Parameter("counts", .record(outcomeCounts), "The numbers of rows by what became of them."),
    Parameter("open", .list(of: .record(openRow)), "The first rows that need a look, at most 100."))

  private static let outcomeCounts = LuaRecord(
    "counts of outcomes", "The numbers of rows by what became of them.",
    Parameter("created", .integer, "The new tasks."), Parameter("changed", .integer, "The tasks that were changed."),
    Parameter("removed", .integer, "The tasks that were removed."),
    Parameter("same", .integer, "The rows with nothing to do."),
    Parameter("skipped", .integer, "The rows that are empty, or that the map or the format leaves out."),
    Parameter("conflict", .integer, "The rows whose tasks somebody has changed, or whose keys somebody has taken."),
    Parameter("refused", .integer, "The rows of which no task can be made."),
    Parameter("failed", .integer, "The rows whose requests failed, or were not sent."),
    Parameter("reversed", .integer, "The rows that an undo has taken back."),
    Parameter("kept", .integer, "The tasks that an undo keeps: somebody has changed them since."),
    Parameter("gone", .integer, "The tasks that an undo has not found."))

  private static let openRow = LuaRecord(
    "row to look at", "A row of a plan that needs a look.", Parameter("row", .integer, "The number of the row."),
    Parameter("text", .string, "The text of the task."),
    Parameter("outcome", .string, "conflict, refused, failed or kept."),
    .optional("task", .string, "The ID of the task."), .optional("reason", .string, "The reason."))
}
