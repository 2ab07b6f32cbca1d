import HostLoop
import ImportEngine
import ImportFormats
import JSON
import TaskAPI
import TaskPlans

/// The things that the plan of each row depends on.
@HostActor
struct PlannerTerms {
  let place: ImportPlace
  let key: PlannerKey?
  /// The fields of a table, whose empty cells are values, too; nil for another source.
  let declared: [String]?
  /// The fields that the service never keeps.
  var unkept: Set<String> = []
  /// The fields that the service cannot change.
  let fixed: Set<String>
  let dedupe: String?
  let makesLists: Bool

  var service: any TaskService { place.service }
}

/// Plans the rows of a source, in one pass.
@HostActor
final class PlannerRows {
  private let terms: PlannerTerms
  private let tasks: PlannerTasks
  private let survey: PlannerSurvey
  private var history: PlannerHistory
  private let parents: PlannerParents?
  private let isLearning: Bool
  private var seen: Set<String>

  /// - Parameters:
  ///   - parents: nil if no row can name another one as its parent.
  ///   - isLearning: true for the pass that learns what becomes of the rows.
  init(
    _ terms: PlannerTerms, _ tasks: PlannerTasks, _ survey: PlannerSurvey, _ history: PlannerHistory,
    _ parents: PlannerParents?, isLearning: Bool = false
  ) {
    (self.terms, self.tasks, self.survey, self.history) = (terms, tasks, survey, history)
    (self.parents, self.isLearning) = (parents, isLearning)
    seen = tasks.values
  }

  func plan(_ row: PlannerSource.Row) async throws -> PlannedRow {
    let draft = try await row.draft()
    var planned = PlannedRow(row: row.record.number, line: row.record.line, action: .refused, text: "")
    planned.source = survey.columns.values(of: row.record, draft)
    switch draft {
    case .task(let task):
      planned.text = task.text
      try await plan(task, row, &planned)
    case .skipped:
      (planned.action, planned.reason) = (
        .skipped, "it is left out: it is empty, or the map or the format leaves it out"
      )
    case .unusable(_, let reason, let text): (planned.text, planned.reason) = (text, reason)
    }
    if isLearning { parents?.learn(planned) }
    return planned
  }

  private func plan(_ task: TaskDraft, _ row: PlannerSource.Row, _ planned: inout PlannedRow) async throws {
    if let key = terms.key {
      switch key.value(of: row) {
      case .problem(let reason):
        planned.reason = reason
        return
      case .key(let value): planned.key = value
      }
    }
    let unkept: [String]
    do { unkept = try terms.service.unkept(of: task) } catch {
      planned.reason = ([error.message] + [error.hint].compactMap(\.self)).joined(separator: "; ")
      return
    }
    let list = try await PlannerLists.judge(task, terms)
    if case .refused(let reason) = list {
      planned.reason = reason
      return
    }
    var wanted = try await wanted(task, planned.key, list, Set(unkept))
    place(row.record.number, &wanted, &planned)
    planned.action = .create
    var notes = [list.note] + task.unread.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
    if let reason = planned.reason { notes.append(reason) }
    planned.reason = nil
    let found = planned.key.map { find($0, row, planned) } ?? findWithoutKey(task, row, planned)
    switch found {
    case .none(let reason):
      notes.append(reason)
      planned.changes = wanted.filter { $0.value != PlannerComparison.none($0.key) }
        .mapValues { PlannedRow.Change(old: .null, new: $0) }
    case .settled(let action, let index, let reason):
      planned.action = action
      planned.task = index.map { tasks.entries[$0].reference }
      (planned.parentRow, notes) = (nil, [reason])
    case .task(let index): compare(wanted, index, Set(unkept), &planned, &notes)
    }
    let sentences = notes.compactMap(\.self)
    planned.reason = sentences.isEmpty ? nil : sentences.joined(separator: "; ")
  }

  private func compare(
    _ wanted: [String: JSON], _ index: Int, _ unkept: Set<String>, _ planned: inout PlannedRow, _ notes: inout [String?]
  ) {
    let entry = tasks.entries[index]
    let comparison = PlannerComparison(wanted, entry, unkept: unkept, fixedFields: terms.fixed)
    planned.task = entry.reference
    planned.changes = comparison.changes
    if planned.parentRow != nil {
      let parent = TaskField.parent.rawValue
      planned.changes[parent] = PlannedRow.Change(old: entry.values[parent] ?? .null, new: .null)
    }
    planned.action = planned.changes.isEmpty ? .same : .change
    if !comparison.fixed.isEmpty {
      notes.append("the service cannot change \(comparison.fixed.joined(separator: ", "))")
    }
  }

  // MARK: Values

  /// The values that the task is to have; null for none.
  private func wanted(
    _ task: TaskDraft, _ key: String?, _ list: PlannerLists.Judgment, _ unkept: Set<String>
  ) async throws -> [String: JSON] {
    var fields = if case .made = list { task.fields } else { try await terms.place.resolved(task) }
    fields[TaskField.text.rawValue] = .string(task.text)
    for name in terms.declared ?? [] where fields[name] == nil && Self.canBeEmptied(name) {
      fields[name] = PlannerComparison.none(name)
    }
    if let key, let field = terms.key?.field, terms.key?.isMapped == false { fields[field] = .string(key) }
    return fields.filter { name, _ in
      !terms.unkept.contains(name) && (TaskField(rawValue: name) != nil || !unkept.contains(name))
    }
  }

  /// A task has a list always. The time of its completion is the service's if the source has none.
  private static func canBeEmptied(_ name: String) -> Bool {
    name != TaskField.list.rawValue && name != TaskField.completedAt.rawValue
  }

  /// Puts the task of the parent in the place of its name.
  private func place(_ row: Int, _ wanted: inout [String: JSON], _ planned: inout PlannedRow) {
    let field = TaskField.parent.rawValue
    guard let parents, let value = wanted[field], value != .null, let name = TaskDraft.sourceID(value) else { return }
    wanted[field] = nil
    if isLearning { return parents.link(row, to: name) }
    switch parents.parent(of: row, named: name) {
    case .task(let id): wanted[field] = .string(id)
    case .row(let number): planned.parentRow = number
    case .lost(let reason): planned.reason = reason
    }
  }

  // MARK: Tasks

  private enum Found {
    /// There is no task.
    case none(String?)
    case task(Int)
    /// Nothing is done, whatever the task has.
    case settled(PlannedRow.Action, Int?, String)
  }

  private func find(_ key: String, _ row: PlannerSource.Row, _ planned: PlannedRow) -> Found {
    let number = row.record.number
    if let reason = survey.conflict(key, row: number) { return .settled(.conflict, nil, reason) }
    let having = tasks.byKey[key] ?? []
    if having.count > 1 {
      let named = having.prefix(3).map { tasks.entries[$0].shown }.joined(separator: " and ")
      let more = having.count > 3 ? " and \(having.count - 3) more" : ""
      return .settled(.conflict, nil, "\(having.count) tasks have the key \"\(key.prefix(60))\": \(named)\(more)")
    }
    guard let index = having.first ?? earlier(key, row, planned) else { return .none(nil) }
    if let other = tasks.take(index, row: number) {
      return .settled(.conflict, index, "row \(other) is the task \(tasks.entries[index].shown), too")
    }
    return .task(index)
  }

  private func hash(_ planned: PlannedRow) -> UInt64 { PlannerHistory.hash(survey.columns.names, planned.source) }

  /// The task that an earlier import has made of the row. A task with another key is not that task.
  private func earlier(_ key: String, _ row: PlannerSource.Row, _ planned: PlannedRow) -> Int? {
    var task = history.task(key: key)
    if task == nil, terms.key?.hasNames == true { task = history.task(named: key) }
    if task == nil, case .added(let found)? = history.take(row.record.fingerprint, hash(planned)) { task = found }
    guard let index = task.flatMap({ tasks.index(id: $0.id) }), tasks.key(of: tasks.entries[index]) == nil else {
      return nil
    }
    return index
  }

  private func findWithoutKey(_ task: TaskDraft, _ row: PlannerSource.Row, _ planned: PlannedRow) -> Found {
    let value = terms.dedupe.flatMap(task.value)
    let isRepeated = value.map { !seen.insert($0).inserted } ?? false
    switch history.take(row.record.fingerprint, hash(planned)) {
    case .added(nil)?:
      return .settled(.same, nil, "an earlier import has added it, and the ID of its task is not known")
    case .added(let task?)?:
      if let index = tasks.index(id: task.id) { return .settled(.same, index, "an earlier import has added it") }
      return .none("the task that an earlier import has made of it is not there any more")
    case .unknown?:
      return .settled(
        .conflict, nil,
        "an earlier import has sent it, and it is not known whether it was added; import the file without --plan to find out"
      )
    case nil: break
    }
    guard isRepeated, let field = terms.dedupe else { return .none(nil) }
    return .settled(.same, nil, "a task or an earlier row has the same \(field)")
  }
}
