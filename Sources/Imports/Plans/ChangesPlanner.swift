import Automation
import Core
package import Files
import Glibc
package import HostLoop
import ImportEngine
import ImportFormats
package import JSON
package import TaskAPI
package import TaskPlans

/// One change of a list that a script gives: a row of a plan.
package struct ListedChange: Sendable {
  package enum Kind: Sendable {
    case add(TaskDraft)
    /// Fields of a task get other values; null removes one. A task that is nothing but an ID is read.
    case set(APITask, [String: JSON])
    case remove(APITask)
    /// Nothing is done, for that reason.
    case conflict(APITask, reason: String)
  }

  package let kind: Kind
  /// The text for people; nil for the text of the task.
  package var name: String?
  package var key: String?
  /// The place in the list of the new task that is the parent, counting from 1.
  package var parentRow: Int?
  /// The values of the plan's columns.
  package var source: [String] = []

  package init(_ kind: Kind) { self.kind = kind }

  /// The task that is there; nil for a new one.
  var task: APITask? {
    switch kind {
    case .add: nil
    case .set(let task, _), .remove(let task), .conflict(let task, _): task
    }
  }
}

/// Makes the plan of a list of changes. Reads the tasks that the list names by their IDs, and writes nothing but the plan.
@HostActor
package final class ChangesPlanner {
  package struct Options: Sendable {
    package var kind = PlanHeader.Kind.tasks
    /// The origin of the changes, for people.
    package var source = ""
    package var columns: [String] = []
    /// True to make the lists that are missing when the plan is applied.
    package var makesLists = false

    package init() {}
  }

  private let options: Options
  private let place: ImportPlace
  private let imports: RunImports
  private let id = PlanHeader.makeID()
  private var notes: [String] = []
  /// The rows that have a task already, by its ID.
  private var takers: [String: Int] = [:]
  /// All tasks, if many are to be read.
  private var spool: TaskSpool?

  package init(_ options: Options, at place: ImportPlace, _ imports: RunImports) {
    (self.options, self.place, self.imports) = (options, place, imports)
  }

  private var service: any TaskService { place.service }

  /// Carries the changes out.
  /// - Parameter call: the name of the call in messages.
  package func apply(_ changes: [ListedChange], by call: String) async throws -> PlanResult {
    let summary = try await write(changes, to: nil)
    var plan = PlanCall(call) { [place] _ in place }
    plan.progress = ImportProgress.Form.none
    return try await imports.apply(imports.plan(id: summary.id, by: call), plan)
  }

  /// Writes the plan.
  /// - Parameters:
  ///   - given: the file of the plan; nil for a plan that this run alone applies.
  ///   - page: the file of a page about the plan; nil for none.
  package func write(
    _ changes: [ListedChange], to given: OutputPlace?, page: OutputPlace? = nil
  ) async throws -> PlanSummary {
    let file = if let given { given } else { OutputPlace(try imports.file(ofPlan: id)) }
    let unread = changes.count { $0.task.map { $0.raw == .null } ?? false }
    if unread > Self.mostSingle { spool = try await TaskSpool(service) }
    let terms = PlannerTerms(
      place: place, key: nil, declared: nil, fixed: Set(try await place.fixedFields()), dedupe: nil,
      makesLists: options.makesLists)
    var rows: [PlannedRow] = []
    for change in changes { rows.append(try await row(rows.count + 1, change, terms)) }
    refuseOrphans(&rows)
    if rows.contains(where: { $0.task?.isCompared == false && $0.action.isWrite }) {
      notes.append("the service has no versions of tasks: each task is read and compared right before it is changed")
    }
    let output = try PlannerOutput(try header(hasKeys: changes.contains { $0.key != nil }), to: file)
    for row in rows { try output.add(row) }
    let digest = try output.finish()
    if let page {
      try PlanPage.write(PlanReader(file), to: page, file: file.path)
    }
    return PlanSummary(path: given?.path, id: id, digest: digest, notes: notes, output.table)
  }

  /// So many tasks are read one by one.
  private static let mostSingle = 4

  private func header(hasKeys: Bool) throws -> PlanHeader {
    let identity = try place.identity(of: nil, named: options.source, imports)
    var header = PlanHeader(
      options.kind, id: id, created: time(nil), source: options.source, account: identity.account,
      accountName: identity.accountName, api: identity.api)
    header.place = place.planned
    if options.makesLists { header.place[Planner.makesLists] = true }
    if hasKeys { (header.keyColumn, header.keyField) = (TaskField.key.rawValue, keyField) }
    header.columns = options.columns
    header.notes = notes
    return header
  }

  private var keyField: String? {
    let key = TaskField.key.rawValue
    return service.unkept(among: [key]).isEmpty ? key : nil
  }

  // MARK: Rows

  private func row(_ number: Int, _ change: ListedChange, _ terms: PlannerTerms) async throws -> PlannedRow {
    var row = PlannedRow(row: number, action: .refused, text: change.name ?? "")
    row.key = change.key
    row.source = change.source
    if case .add(let draft) = change.kind {
      if change.name == nil { row.text = draft.text }
      row.parentRow = change.parentRow
      try await plan(draft, terms, &row)
      return row
    }
    guard let given = change.task, let task = try await whole(given) else {
      row.action = .conflict
      row.reason = "there is no task with the ID \(change.task?.id?.plainText ?? "")"
      return row
    }
    if change.name == nil { row.text = task.text }
    row.task = TaskReference(task)
    if case .conflict(_, let reason) = change.kind {
      (row.action, row.reason) = (.conflict, reason)
      return row
    }
    if let id = row.task?.id, let other = takers.updateValue(number, forKey: id) {
      (row.action, row.reason) = (.conflict, "row \(other) changes this task, too")
      return row
    }
    switch change.kind {
    case .add, .conflict: break
    case .remove: remove(task, &row)
    case .set(_, let fields):
      row.parentRow = change.parentRow
      try await compare(fields, task, terms, &row)
    }
    return row
  }

  private func plan(_ draft: TaskDraft, _ terms: PlannerTerms, _ row: inout PlannedRow) async throws {
    var draft = draft
    if let key = row.key, let keyField, draft.fields[keyField] == nil { draft.fields[keyField] = .string(key) }
    do { _ = try service.unkept(of: draft) } catch {
      row.reason = error.message
      return
    }
    let list = try await PlannerLists.judge(draft, terms)
    if case .refused(let reason) = list {
      row.reason = reason
      return
    }
    var fields = if case .made = list { draft.fields } else { try await place.resolved(draft) }
    if row.parentRow != nil { fields[TaskField.parent.rawValue] = nil }
    fields[TaskField.text.rawValue] = .string(draft.text)
    let lost = dropUnkept(&fields)
    row.action = .create
    row.changes = fields.filter { $0.value != PlannerComparison.none($0.key) && $0.value != .null }
      .mapValues { PlannedRow.Change(old: .null, new: $0) }
    row.reason = Self.sentence([list.note, lost])
  }

  private func compare(
    _ fields: [String: JSON], _ task: APITask, _ terms: PlannerTerms, _ row: inout PlannedRow
  ) async throws {
    var fields = fields
    let parent = TaskField.parent.rawValue
    if row.parentRow != nil { fields[parent] = nil }
    let list = try await PlannerLists.judge(
      TaskDraft(text: task.text, fields: fields.filter { $0.value != .null }), terms)
    if case .refused(let reason) = list {
      row.reason = reason
      return
    }
    if case .there = list { fields = try await service.resolved(fields) }
    let lost = dropUnkept(&fields)
    guard let reference = row.task else { return }
    let values = task.commonFields.merging(task.further) { common, _ in common }.filter { $0.value != .null }
    let comparison = PlannerComparison(
      fields, PlannerTasks.Entry(reference: reference, values: values), unkept: [], fixedFields: terms.fixed)
    row.changes = comparison.changes
    if row.parentRow != nil { row.changes[parent] = PlannedRow.Change(old: values[parent] ?? .null, new: .null) }
    row.action = row.changes.isEmpty ? .same : .change
    let fixed =
      comparison.fixed.isEmpty ? nil : "the service cannot change \(comparison.fixed.joined(separator: ", "))"
    row.reason = Self.sentence([list.note, lost, fixed])
  }

  /// Refuses the rows whose parents are new tasks that cannot be added, and the rows below them.
  private func refuseOrphans(_ rows: inout [PlannedRow]) {
    var hasChanged = true
    while hasChanged {
      hasChanged = false
      for index in rows.indices {
        guard let parent = rows[index].parentRow, rows[parent - 1].action != .create else { continue }
        rows[index].action = .refused
        rows[index].reason = "its parent, row \(parent), cannot be added"
        (rows[index].parentRow, rows[index].changes) = (nil, [:])
        hasChanged = true
      }
    }
  }

  private func remove(_ task: APITask, _ row: inout PlannedRow) {
    row.reason = place.removalRefusal
    if row.reason == nil { row.remove(task.commonFields) }
  }

  /// Takes the fields out that the service never keeps. Returns the sentence about them.
  private func dropUnkept(_ fields: inout [String: JSON]) -> String? {
    let lost = service.unkept(among: fields.keys.sorted())
    for name in lost { fields[name] = nil }
    return lost.isEmpty ? nil : "the service does not keep \(lost.joined(separator: ", "))"
  }

  private static func sentence(_ parts: [String?]) -> String? {
    let parts = parts.compactMap(\.self)
    return parts.isEmpty ? nil : parts.joined(separator: "; ")
  }

  /// The task with its fields; nil if there is none with its ID.
  private func whole(_ task: APITask) async throws -> APITask? {
    guard task.raw == .null, let id = task.id?.plainText else { return task }
    if let spool { return try spool.task(id) }
    return try await service.task(id: id)
  }
}
