import Automation
import Core
import Files
import HostLoop
import ImportEngine
import ImportFormats
import Imports
import JSON
import Lua
import LuaKit
import Permissions
import TaskAPI
import TaskPlans

extension TasksModule {
  static let planChanges = suspending(
    "tasks.plan_changes",
    "Plans changes that a script lists: writes the file of a plan, and changes no task. tasks.apply carries the plan out; a task "
      + "that somebody has changed since it was read stays as it is then.",
    Parameter("changes", .list(of: .record(.listedChange)), "The changes: a row of the plan for each."),
    options: PlanChangesOptions.keys,
    returns: .init(.record(.plan), "The facts about the plan; tostring returns it as a table."),
    example: """
      b2c.tenant.sign_in()
      local rent = b2c.tasks.add { text = "Pay the rent", due = "2027-01-31" }
      local plan = b2c.tasks.plan_changes({
        { task = rent, set = { due = "2027-02-01", notes = "by transfer" } },
        { add = { text = "Ask for a receipt" } },
      }, { source = "the new month" })
      print(b2c.tasks.apply(plan))
      """
  ) { module, arguments in
    let options = try PlanChangesOptions(arguments)
    let entries = try arguments[0].table?.elements ?? []
    let changes = try entries.enumerated().map { index, entry in
      try module.change(entry, of: entries, at: "\(arguments.place(0)): entry \(index + 1)")
    }
    let place = try await module.place(options.service, arguments)
    @HostActor func output(_ path: String) throws -> OutputPlace {
      try module.tasks.session.permissions.write(path, by: arguments.function.name)
    }
    let (file, page) = (try options.file.map(output), try options.page.map(output))
    let planner = ChangesPlanner(options.planner, at: place, module.tasks.imports)
    let summary = try await planner.write(changes, to: file, page: page)
    if let page = options.page { try module.tasks.attach(page) }
    return [module.json.value(summary, columns: options.columns, module.tasks.context)]
  }

  struct PlanChangesOptions: LuaOptions {
    var planner = ChangesPlanner.Options()
    var file: String?
    var page: String?
    var columns = 80
    var service = ServiceOptions()

    static let fields: [Field] =
      [
        .init("plan", \.file, .string, "The file of the plan. If not given, this run alone can apply it.") { value, _ in
          value.path
        },
        .init("source", \.planner.source, "The origin of the changes, for people: a sentence without a period."),
        .init("kind", \.planner.kind, .choice(["tasks", "sync"]), "The kind of plan; tasks if not given.") { value, _ in
          value.string == PlanHeader.Kind.sync.rawValue ? .sync : .tasks
        },
        .init("columns", \.planner.columns, .list(of: .string), "The names of the values in source of each change.") {
          value, _ in try value.table?.texts ?? []
        },
        .init("report", \.page, .string, "A file for the plan as a page, which ends in .html.") { value, place in
          try pagePath(value, place)
        },
        .init(
          "make_lists", \.planner.makesLists,
          "Plan to make the lists that changes name and the task service does not have."),
        .init("width", \.columns, in: 40...1000, "The columns of the text that tostring returns; 80 if not given."),
      ] + TasksModule.serviceFields(in: \.service)
  }

  /// The path of a page, for an option.
  @HostActor static func pagePath(_ value: LuaValue, _ place: OptionPlace) throws -> String? {
    guard let path = value.path, path.isPagePath else {
      throw place.failure("expected a file that ends in .html or .htm, got '\(value.path ?? "")'")
    }
    return path
  }

  // MARK: Entries

  private static let entryNames = ["add", "task", "set", "remove", "conflict", "name", "key", "parent_row", "source"]
  private static let entryHint = "for example { task = task, set = { due = \"2027-01-31\" } }"

  private func change(_ value: LuaValue, of entries: [LuaValue], at place: String) throws -> ListedChange {
    func failure(_ problem: String, hint: String? = Self.entryHint) -> LuaError {
      LuaError(code: "invalid_argument", message: "\(place): \(problem)", hint: hint)
    }
    guard let entry = value.table else {
      throw failure("expected a table with add, or with task and set or remove, got \(value.typeName)")
    }
    for pair in try entry.pairs {
      guard let name = pair.key.string, Self.entryNames.contains(name) else {
        throw failure("unknown member '\(pair.key.string ?? pair.key.typeName)'")
      }
    }
    let kinds = ["add", "set", "remove", "conflict"].filter { !entry[$0].isNil }
    guard kinds.count == 1 else {
      throw failure(
        "expected one of add, set, remove and conflict, got \(kinds.isEmpty ? "none" : kinds.joined(separator: " and "))"
      )
    }
    var change = ListedChange(try kind(kinds[0], entry, at: place))
    change.name = try entry["name"].text(at: "\(place): name")
    change.key = try entry["key"].text(at: "\(place): key")
    change.source = try entry["source"].table?.texts ?? []
    if !entry["parent_row"].isNil {
      guard let row = entry["parent_row"].integer, entries.indices.contains(Int(row) - 1),
        entries[Int(row) - 1].table?["add"].isNil == false
      else { throw failure("parent_row: expected the place of an entry with add in the list") }
      change.parentRow = Int(row)
    }
    return change
  }

  private func kind(_ name: String, _ entry: LuaTable, at place: String) throws -> ListedChange.Kind {
    if name == "add" { return .add(try json.draft(entry["add"], for: "\(place): add")) }
    guard let task = try task(entry["task"], at: "\(place): task") else {
      throw LuaError(
        code: "invalid_argument",
        message: "\(place): task: expected an id, or a task that the API gave, got \(entry["task"].typeName)",
        hint: Self.entryHint)
    }
    switch name {
    case "conflict": return .conflict(task, reason: try entry["conflict"].text(at: "\(place): conflict") ?? "")
    case "remove": return .remove(task)
    default:
      let given = try json.json(entry["set"], at: "\(place): set")
      do { return .set(task, try TaskDraft.change(given.object ?? [:])) } catch {
        throw LuaError(code: error.code, message: "\(place): set: \(error.message)", hint: error.hint)
      }
    }
  }

  // MARK: Several tasks

  /// Carries out a change of each task of a list by a plan. Nil if the first argument is one task.
  func changeEach(
    _ arguments: Arguments, _ kind: (APITask) -> ListedChange.Kind
  ) async throws -> LuaValue? {
    guard let table = arguments[0].table, isList(table) else { return nil }
    let name = arguments.function.name
    var changes: [ListedChange] = []
    for (index, value) in try table.elements.enumerated() {
      guard let task = try task(value, at: "\(arguments.place(0)): entry \(index + 1)") else {
        throw arguments.failure(
          "argument 1: entry \(index + 1): expected an id, or a task that the API gave, got \(value.typeName)")
      }
      changes.append(ListedChange(kind(task)))
    }
    let place = try await place(ServiceOptions(arguments), arguments)
    var options = ChangesPlanner.Options()
    options.source = "\(name) of \(counted(changes.count, "task"))"
    let planner = ChangesPlanner(options, at: place, tasks.imports)
    return json.value(try await planner.apply(changes, by: name), arguments.state)
  }

  /// True for a list of tasks or IDs, false for a task. An empty list is one that a function has returned.
  private func isList(_ table: LuaTable) -> Bool {
    (try? table.elements.isEmpty) == false || table.metatable?.isSame(as: json.arrayMetatable) == true
  }

  /// The place of the tasks of a call.
  func place(
    _ options: ServiceOptions, _ arguments: Arguments, timeout: Double = TaskAPIClient.usualTimeout
  ) async throws -> ImportPlace {
    if let service = try await tasks.services.declared(arguments) { return .service(service) }
    let account = try await tasks.accounts.given(options.account, arguments).account
    return .api(try tasks.session.taskClient(of: account, timeout: timeout), account)
  }
}

extension LuaRecord {
  static let listedChange = LuaRecord(
    "listed change", "A change of a list: add alone, or task with set, remove or conflict.",
    .optional("add", .newTask, "The task to add."),
    .optional(
      "task", .either([.string, .integer, .record(.task)]),
      "The task: as tasks.list gives it, with the version that it must still have, or its ID, which is read."),
    .optional("set", .table, "The fields to change: { due = \"2027-01-31\" }. The value false removes a field."),
    .optional("remove", .boolean, "Remove the task."),
    .optional("conflict", .string, "Do nothing, for this reason, which the plan shows."),
    .optional("name", .string, "The name of the row for people; the text of the task if not given."),
    .optional(
      "key", .string,
      "The key of a new task, which the task service keeps; a plan whose key somebody has taken since adds no task."),
    .optional("parent_row", .integer, "The place in the list of the new task that becomes the parent."),
    .optional("source", .list(of: .string), "The values of columns, which the receipt has."))
}
