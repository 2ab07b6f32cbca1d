import Automation
import Core
import HostLoop
import ImportEngine
import ImportFormats
import Imports
import Lua
import LuaKit
import Permissions
import TaskAPI

extension TasksModule {
  static let planning = suspending(
    "tasks.plan",
    "Plans an import: reads the source and the tasks of the account, writes the file of a plan, and changes no task. The plan says "
      + "what becomes of each row.",
    Parameter(
      "source", .either([.string, .functionReturning(.init(.any, optional: true, "A row, then nil."))]),
      "The path of a file, \"-\" for standard input, or a function that returns the next row, then nil."),
    options: PlanCallOptions.keys,
    returns: .init(.record(.plan), "The facts about the plan; tostring returns it as a table."),
    example: """
      b2c.tenant.sign_in()
      local plan = b2c.tasks.plan("examples/data/tasks.csv", { key = "Text" })
      print(plan)
      assert(plan.counts.create > 900 and plan.counts.same == 0)
      """
  ) { module, arguments in
    do {
      let options = try PlanCallOptions(arguments)
      let plan = try await module.importPlan(options, arguments)
      let summary = try await Planner(plan, options.planner, module.tasks.imports).run()
      if let page = options.planner.page { try module.tasks.attach(page) }
      return [module.json.value(summary, columns: options.columns, module.tasks.context)]
    } catch let error as ImportRefusal {
      guard let subject = error.subject else { throw error }
      throw arguments.failure(option: subject.option, subject.problem, hint: error.hint)
    }
  }

  struct PlanCallOptions: LuaOptions {
    var planner = PlannerOptions()
    var call = CallOptions()
    var columns = 80

    static let fields: [Field] =
      [
        .init("plan", \.planner.file, .string, "The file of the plan. If not given, this run alone can apply it.") {
          value, _ in value.path
        },
        .init(
          "key", \.planner.key,
          "The column, or the member of objects, that tells the rows apart; \"source_id\" for the format of an app that has IDs. A row "
            + "whose key a task has changes this task."),
        .init(
          "key_field", \.planner.keyField,
          "The field of the task that keeps the key: text, notes, url or key. If not given: the field that the column gives, else key."
        ),
        .init(
          "delete_missing", \.planner.deletesMissing,
          "Also remove the tasks that have keys which the source does not have. The source is the whole truth then."),
        .init("many", \.planner.removesMany, "Allow delete_missing to remove more than half of the tasks with keys."),
        .init("report", \.planner.page, .string, "A file for the plan as a page, which ends in .html.") {
          value, place in try pagePath(value, place)
        },
        .init("as_is", \.call.plan.isAsIs, "Read the file as it is, whatever is doubtful about it."),
        .init(
          "make_lists", \.call.plan.options.missing.makesLists,
          "Plan to make the lists that rows name and the task service does not have."),
        .init(
          "dedupe", \.call.plan.options.dedupe,
          "The field, such as \"text\", to compare. A row is left as it is if a task or an earlier row has the same value. Without key "
            + "alone."),
        .init(
          "timeout", \.call.plan.timeout, in: 0.1...3600, "The time limit for one request, in seconds; 30 if not given."
        ),
        .init("width", \.columns, in: 40...1000, "The columns of the text that tostring returns; 80 if not given."),
      ] + Field.nested(CallOptions.sourceFields, in: \.call) + TasksModule.serviceFields(in: \.call.service)
  }

  private func importPlan(_ options: PlanCallOptions, _ arguments: Arguments) async throws -> ImportPlan {
    let given = options.planner
    if given.key == nil {
      let needing = [
        ("key_field", given.keyField != nil), ("delete_missing", given.deletesMissing), ("many", given.removesMany),
      ]
      for (name, isGiven) in needing where isGiven {
        throw arguments.failure(
          option: name, "it has no effect without key",
          hint: "name the column that tells the rows apart: --key COLUMN (key = COLUMN in a script)")
      }
    } else if options.call.plan.options.dedupe != nil {
      throw arguments.failure(
        option: "dedupe", "it has no effect with key", hint: "the key tells which rows have tasks")
    }
    if given.removesMany, !given.deletesMissing {
      throw arguments.failure(option: "many", "it has no effect without delete_missing")
    }
    var plan = try await importPlan(options.call, arguments)
    plan.files.report = given.page
    return plan
  }
}

extension JSONMarshal {
  /// The facts about a plan; `tostring` of them is the table for people.
  /// - Parameter command: the command that carries the plan out; nil for that of its file.
  @HostActor func value(
    _ summary: PlanSummary, columns: Int, _ context: ScriptContext, command: String? = nil
  ) -> LuaValue {
    let state = context.state
    let apply = summary.path.map { "import --apply \(ShellWord.quoted($0))" }
    let table = state.makeTable()
    table["path"] = .path(summary.path)
    table["id"] = .string(summary.id)
    table["digest"] = .string(summary.digest)
    table["counts"] = .record(summary.counts.sorted { $0.key < $1.key }.map { ($0.key, .integer($0.value)) })
    table["notes"] = context.list(summary.notes)
    table["command"] = .string((command ?? apply).map(context.session.configuration.commandLine))
    let metatable = state.makeTable()
    let text = summary.text(columns: columns)
    metatable["__name"] = .string("plan")
    metatable["__tostring"] = .function(
      state.closure(HostFunction("tostring", "", [.any("plan")]) { _ in [.string(text)] }))
    table.metatable = metatable
    return .table(table)
  }
}

extension LuaRecord {
  static let plan = LuaRecord(
    "plan", "A plan that was written. tostring returns it as a table.",
    .optional("path", .string, "The file of the plan; nil without one."),
    Parameter("id", .string, "Its ID."),
    Parameter("digest", .string, "The digest of the file, which names this very plan."),
    Parameter("counts", .record(planCounts), "The numbers of rows by what becomes of them."),
    Parameter("notes", .list(of: .string), "Facts to know before the plan is applied."),
    .optional(
      "command", .string, "The command that carries the plan out, with the options of this run; nil without a file."))

  static let planCounts = LuaRecord(
    "counts of a plan", "The numbers of rows by what becomes of them.",
    Parameter("create", .integer, "The rows that become new tasks."),
    Parameter("change", .integer, "The rows whose tasks get other values."),
    Parameter("remove", .integer, "The tasks that are removed."),
    Parameter("same", .integer, "The rows with nothing to do."),
    Parameter("skipped", .integer, "The rows that are empty, or that the map or the format leaves out."),
    Parameter("conflict", .integer, "The rows of which it is not clear which task is meant."),
    Parameter("refused", .integer, "The rows of which no task can be made."),
    Parameter("kept", .integer, "The tasks that an undo keeps: somebody has changed them since."),
    Parameter("gone", .integer, "The tasks that an undo does not find."))
}
