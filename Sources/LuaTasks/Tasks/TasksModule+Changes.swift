import Core
import HostLoop
import Imports
import JSON
import Lua
import LuaKit
import Schedule
import TaskAPI

extension TasksModule {
  private static let task = Parameter(
    "task", .either([.string, .integer, .record(.task)]), "The ID, or a task that the API returned.")

  static let get = suspending(
    "tasks.get", "The task with an ID.", Parameter("id", .either([.string, .integer]), "The ID."), exchangeOptions,
    returns: .init(.record(.task), optional: true, "The task; nil if there is none.")
  ) { module, arguments in
    let id = arguments.state.rawText(of: arguments[0])
    return [try await module.exchange(arguments) { try await $0.task(id: id) }.map(module.json.value) ?? .nil]
  }

  static let lists = suspending(
    "tasks.lists", "The lists of tasks. The task API has those that its tasks name.", exchangeOptions,
    returns: .init(.list(of: .record(.taskList)), "The lists.")
  ) { module, arguments in
    let lists = try await module.exchange(arguments) { try await $0.lists() }
    return [.list(lists.map(module.value), metatable: module.json.arrayMetatable)]
  }

  static let makeList = suspending(
    "tasks.make_list",
    "Makes a list of tasks, or returns the list with that name. A list of the task API is the name that its tasks have: there is "
      + "nothing to make.",
    Parameter("name", .string, "The name."), exchangeOptions, returns: .init(.record(.taskList), "The list.")
  ) { module, arguments in
    let name = arguments.string(0)
    return [module.value(try await module.exchange(arguments) { try await $0.makeList(name) })]
  }

  private func value(_ list: TaskListName) -> LuaValue {
    .record([
      ("id", .string(list.id)), ("name", .string(list.name)), ("default", list.isDefault ? .boolean(true) : .nil),
    ])
  }

  static let changes = suspending(
    "tasks.changes",
    "The tasks of a list that have changed since an earlier call, for task services that tell changes. An error with the code "
      + "token_too_old means that everything is to be read again.",
    .optional("token", .string, "The token of the earlier call; nil for all tasks."),
    .options(ServiceOptions.keys),
    returns: .init(.list(of: .record(.task)), "The new and the changed tasks."),
    .init(.list(of: .string), "The IDs of removed tasks."), .init(.string, "The token for the next call.")
  ) { module, arguments in
    guard let service = try await module.tasks.services.declared(arguments),
      let found = try await service.changes(arguments[0].string)
    else {
      throw LuaError(
        code: "no_changes", message: "tasks.changes: the task service tells no changes", hint: "read all: tasks.list")
    }
    let array = module.json.arrayMetatable
    return [
      .list(found.tasks.map(module.json.value), metatable: array),
      .list(found.removed.map { .string($0) }, metatable: array), .string(found.token),
    ]
  }

  static let fields = suspending(
    "tasks.fields", "The fields that the task service keeps.",
    .options(ServiceOptions.keys), returns: .init(.record(.keptFields), "The fields.")
  ) { module, arguments in
    let service = try await module.tasks.services.declared(arguments)
    let declared = service?.declaration
    let fixed = try await service?.fixedFields() ?? []
    let kept = TaskField.allCases.filter { declared?.fields.contains($0) ?? true }
    return [
      .record([
        ("fields", .list(kept.map { .string($0.rawValue) }, metatable: module.json.arrayMetatable)),
        ("due", declared?.keepsDaysOnly == true ? .string("date") : .nil),
        ("fixed", .list(fixed.map { .string($0) }, metatable: module.json.arrayMetatable)),
        ("parent", declared?.keepsPartsInList == true ? .string("same_list") : .nil),
        ("list", .string(service?.usualList)), ("makes_lists", .boolean(service?.makesLists ?? true)),
        ("removes", .boolean(service?.canRemove ?? true)),
      ])
    ]
  }

  static let update = suspending(
    "tasks.update",
    "Changes fields of a task. If the task has an etag, and somebody has changed the task since, the error has the code conflict.",
    task,
    Parameter("changes", .table, "The fields to change: { due = \"2027-01-31\" }. The value false removes a field."),
    exchangeOptions, returns: .init(.record(.task), "The task after the change."),
    example: """
      b2c.tenant.sign_in()
      local task = b2c.tasks.add { text = "Pay the rent", due = "2027-01-31" }
      task = b2c.tasks.update(task, { due = "2027-02-01", notes = "by transfer" })
      task = b2c.tasks.update(task, { notes = false })
      print(task.due, task.notes)
      """
  ) { module, arguments in
    let given = try module.json.json(arguments[1], at: arguments.place(1))
    guard let changes = given.object, !changes.isEmpty else {
      throw arguments.failure("argument 2: expected the fields to change, such as { due = \"2027-01-31\" }")
    }
    return [try await module.change(arguments, changes)]
  }

  static let complete = suspending(
    "tasks.complete",
    "Marks a task as done, or each task of a list. A list is carried out as a plan: a task that somebody has changed since it was "
      + "read stays, and imports.undo takes all of it back.",
    Parameter("task", oneOrMany, "The ID, or a task that the API returned; or a list of these."), exchangeOptions,
    returns: .init(
      .either([.record(.task), .record(.planResult)]),
      "The task after the change; for a list, what became of its tasks."),
    example: """
      b2c.tenant.sign_in()
      local task = b2c.tasks.complete(b2c.tasks.add "Buy milk")
      print(task.completed, task.completed_at ~= nil)
      """
  ) { module, arguments in
    if let result = try await module.changeEach(arguments, { .set($0, ["completed": true]) }) { return [result] }
    return [try await module.change(arguments, ["completed": true])]
  }

  static let reopen = suspending(
    "tasks.reopen", "Marks a task as not done.", task, exchangeOptions,
    returns: .init(.record(.task), "The task after the change.")
  ) { module, arguments in [try await module.change(arguments, ["completed": false])] }

  static let moment = function(
    "tasks.moment", "The parts of a time of a task.",
    Parameter("text", .string, "A time such as 2027-01-31 or 2027-01-31T09:00[Europe/Berlin]."),
    .optional("zone", .string, "A time zone such as Europe/Berlin: the same instant there."),
    returns: .init(.record(.taskMoment), "The parts."),
    example: """
      print(b2c.tasks.moment("2027-01-31T09:00[Europe/Berlin]").utc)
      """
  ) { _, arguments in
    let time: TaskTime
    do throws(TaskFieldError) {
      let given = try TaskTime(parsing: arguments.string(0))
      time = try arguments[1].string.map { zone throws(TaskFieldError) in try given.moved(to: zone) } ?? given
    } catch {
      throw LuaError(code: error.code, message: "tasks.moment: \(error.message)", hint: error.hint)
    }
    return [
      .record([
        ("text", .string(time.description)), ("date", .string(time.day)), ("time", .string(time.time)),
        ("zone", .string(time.zone)), ("utc", .string(time.utc)),
      ])
    ]
  }

  static let vtimezone = function(
    "tasks.vtimezone",
    "A time zone as calendars exchange it: the VTIMEZONE of RFC 5545, made of the machine's time zones. Its lines end in CRLF.",
    Parameter("zone", .string, "The name of the zone, such as Europe/Berlin."),
    .optional(
      "since", .integer, in: 1...9999, "The first year of the times that need it; the current year if not given."),
    returns: .init(.string, "The VTIMEZONE."),
    example: """
      print(b2c.tasks.vtimezone("Asia/Tokyo"))
      """
  ) { _, arguments in
    do throws(ScheduleError) {
      let zone = try Zone(arguments.string(0))
      let now = zone.civil(at: Int64(UnixTime.now.seconds * 1000)).year
      return [.string(zone.calendarDefinition(since: arguments[1].integer.map { Int($0) } ?? now))]
    } catch {
      throw LuaError(code: error.code, message: "tasks.vtimezone: \(error.message)", hint: error.hint)
    }
  }

  private func change(_ arguments: Arguments, _ changes: [String: JSON]) async throws -> LuaValue {
    let fields: [String: JSON]
    do { fields = try TaskDraft.change(changes) } catch {
      throw LuaError(code: error.code, message: "\(arguments.function.name): \(error.message)", hint: error.hint)
    }
    let given = try self.task(arguments)
    let (task, sent) = try await exchange(arguments) { service in
      let sent = try await service.resolved(fields)
      return (try await service.update(given, sent), sent)
    }
    tellLost(task.lost(of: sent.filter { $0.value != .null }), arguments.function.name)
    return json.value(task)
  }
}

extension TasksModule {
  /// The task of the first argument: an ID, or a task that a service gave.
  func task(_ arguments: Arguments) throws -> APITask {
    guard let task = try task(arguments[0], at: arguments.place(0)) else {
      throw arguments.failure("argument 1: expected an id, or a task that the API gave, got a table without id")
    }
    return task
  }

  /// An ID, or a task that a service gave; nil for another value. An ID alone is a task without its fields.
  func task(_ value: LuaValue, at place: String) throws -> APITask? {
    guard let table = value.table else {
      let id = try value.text(at: place) ?? value.integer.map(String.init)
      return id.map { APITask(text: "", id: .string($0)) }
    }
    let task = APITask(try json.json(table["raw"].isNil ? value : table["raw"], at: place))
    return task?.id == nil ? nil : task
  }
}

/// The options of `tasks.list` that choose tasks.
struct TaskFilter: LuaOptions {
  private var completed: Bool?
  private(set) var list: String?
  private var label: String?
  private var text: String?
  private var before: TaskTime?
  private var after: TaskTime?

  static let fields: [Field] = [
    .init("completed", \.completed, "Only tasks that are done, or only those that are not."),
    .init("due_before", \.before, .string, "Only tasks that are due before this time.") { try time($0, $1) },
    .init("due_after", \.after, .string, "Only tasks that are due at this time or later.") { try time($0, $1) },
    .init("label", \.label, "Only tasks with this label."), .init("list", \.list, "Only tasks of this list."),
    .init("text", \.text, .string, "Only tasks whose text has this part, in any letter case.") { value, _ in
      value.string?.lowercased()
    },
  ]

  @HostActor private static func time(_ value: LuaValue, _ place: OptionPlace) throws -> TaskTime {
    do { return try TaskTime(parsing: value.string ?? "") } catch {
      throw place.failure(error.message, hint: error.hint)
    }
  }

  var isEmpty: Bool {
    completed == nil && list == nil && label == nil && text == nil && before == nil && after == nil
  }

  /// - Parameter isOfList: true if only tasks of the list were read. A service knows it by another name than its tasks do.
  func admits(_ task: APITask, isOfList: Bool = false) -> Bool {
    if let completed, task.completed != completed { return false }
    if !isOfList, let list, task.value(of: .list)?.string != list { return false }
    if let label, task.value(of: .labels)?.array?.contains(.string(label)) != true { return false }
    if let text, !task.text.lowercased().contains(text) { return false }
    guard before != nil || after != nil else { return true }
    guard let due = task.value(of: .due)?.string, let time = try? TaskTime(parsing: due) else { return false }
    if let before, time.order >= before.order { return false }
    if let after, time.order < after.order { return false }
    return true
  }
}

extension TaskTime {
  /// Orders times; a day comes before all times of the day.
  fileprivate var order: String { utc ?? description }
}

extension LuaRecord {
  static let keptFields = LuaRecord(
    "kept fields", "The fields that a task service keeps.",
    Parameter("fields", .list(of: .string), "Their names."),
    .optional("due", .choice(["date"]), "\"date\" if it keeps the day of a time alone."),
    Parameter("fixed", .list(of: .string), "The names of the fields that a task keeps from its beginning."),
    .optional(
      "parent", .choice(["same_list"]), "\"same_list\" if a sub-task is always in the list of its parent."),
    .optional("list", .string, "The list of the setting services; nil for all lists."),
    Parameter("makes_lists", .boolean, "True if tasks may name lists that are not there: tasks.make_list makes them."),
    Parameter("removes", .boolean, "False if the service removes no tasks: tasks.remove raises an error."))

  static let taskMoment = LuaRecord(
    "task moment", "The parts of a time.",
    Parameter("text", .string, "The time in the form that all services use."),
    Parameter("date", .string, "The day: 2027-01-31."), .optional("time", .string, "The time of the day: 09:00:00."),
    .optional("zone", .string, "The name of the time zone; UTC for an instant."),
    .optional("utc", .string, "The instant in UTC; nil for a day, and for a time without a zone."))

  static let concurrency = LuaRecord(
    "range of requests", "The number of concurrent requests.",
    .optional("min", .integer, "The minimum; 1 if not given."), Parameter("max", .integer, "The maximum."))
}
