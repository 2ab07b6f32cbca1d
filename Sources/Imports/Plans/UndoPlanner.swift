import Core
import Files
import HostLoop
import ImportEngine
import ImportFormats
import ImportJournal
import JSON
import TaskAPI
import TaskPlans

/// Makes the plan that takes an earlier import, plan or undo back: what it added is removed, what it changed gets its old values,
/// and what it removed is added again, each only as the earlier run has left it.
@HostActor
final class UndoPlanner {
  private let journal: JournalSummary
  private let shelf: JournalShelf
  /// The plan of the earlier run; nil for an import without one.
  private let plan: PlanReader?
  private let tasks: TaskSpool
  private let keepsParents: Bool
  private let removalRefusal: String?
  /// The commands that take the imports of corrected rows back, whose journals have the IDs of the tasks.
  private let corrections: [String]
  /// The rows that are added again, by the IDs that their tasks had.
  private var againByID: [String: Int] = [:]

  init(
    _ journal: JournalSummary, _ shelf: JournalShelf, _ plan: PlanReader?, _ place: ImportPlace, corrections: [String]
  ) async throws {
    self.journal = journal
    self.corrections = corrections
    self.shelf = shelf
    self.plan = plan
    tasks = try await TaskSpool(place.service)
    keepsParents = place.service.unkept(among: [TaskField.parent.rawValue]).isEmpty
    removalRefusal = place.removalRefusal
  }

  /// Writes the rows of the plan.
  func write(to writer: PlanWriter) throws {
    let kept = try keepsParents && tasks.haveParents() ? parentsOfOthers() : []
    try each { row, source in
      var row = row
      if let id = row.task?.id, kept.contains(id) {
        keep(&row, "somebody has added a task below it: \"\(try tasks.child(of: id)?.prefix(60) ?? "")\"")
      }
      row.source = source
      try writer.add(row)
    }
  }

  /// The tasks that stay because somebody has added others below them. A task that the undo itself moves elsewhere is none of
  /// these.
  private func parentsOfOthers() throws -> Set<String> {
    try each { row, _ in
      let leaves = row.action == .change && row.changes[TaskField.parent.rawValue] != nil
      if row.action == .remove || leaves, let id = row.task?.id { try tasks.plan(id) }
    }
    var kept: Set<String> = []
    var hasChanged = true
    while hasChanged {
      hasChanged = false
      try each { row, _ in
        guard row.action == .remove, let id = row.task?.id, !kept.contains(id), try tasks.child(of: id) != nil else {
          return
        }
        try tasks.keep(id)
        kept.insert(id)
        hasChanged = true
      }
    }
    return kept
  }

  /// Gives the rows of the plan in the order of the earlier one, and the values of the source's columns.
  private func each(_ body: (PlannedRow, [String]) throws -> Void) throws {
    guard let plan else {
      let rows = try shelf.tasks(of: journal)
      while let found = try rows.nextAdded() { try body(try reverse(found), []) }
      return
    }
    try prepare(plan)
    let outcomes = try PlanOutcomes(plan, shelf, journal)
    while let (row, outcome, task) = try outcomes.next() {
      guard row.action.isWrite, outcome.kind.isDone, let task else { continue }
      try body(try reverse(row, task), row.source)
    }
  }

  private func prepare(_ plan: PlanReader) throws {
    guard againByID.isEmpty, plan.counts[.remove] ?? 0 > 0 else { return }
    try plan.rewind()
    while let row = try plan.next() {
      if row.action == .remove, let id = row.task?.id { againByID[id] = row.row }
    }
  }

  // MARK: Rows

  /// The undo of a row of an import without a plan.
  private func reverse(_ found: JournaledTask) throws -> PlannedRow {
    guard let reference = found.task else {
      return withoutID(PlannedRow(row: found.row, action: .kept, text: ""))
    }
    guard let now = try tasks.task(reference.id) else { return gone(found.row, "", reference) }
    var row = removal(found.row, now)
    row.key = found.sourceID
    if !isSame(now, as: found, reference) {
      keep(&row, now.completed ? "somebody has completed or changed it since" : "somebody has changed it since")
    }
    return row
  }

  /// The undo of a row of a plan.
  private func reverse(_ done: PlannedRow, _ task: JournaledTask) throws -> PlannedRow {
    if done.action == .remove { return again(done) }
    guard let reference = task.task else {
      return withoutID(PlannedRow(row: done.row, line: done.line, action: .kept, text: done.text))
    }
    guard let now = try tasks.task(reference.id) else { return gone(done.row, done.text, reference) }
    var row: PlannedRow
    if done.action == .create {
      row = removal(done.row, now)
    } else {
      row = PlannedRow(row: done.row, action: .change, text: now.text, task: TaskReference(now))
      row.changes = done.changes.mapValues { PlannedRow.Change(old: $0.new, new: $0.old) }
    }
    row.line = done.line
    row.key = done.key
    if !isSame(now, as: task, reference), !(done.action == .create && now.isExactly(done.newValues)) {
      keep(&row, differences(done, now))
    }
    return row
  }

  /// A row whose task another import has added, or the server did not name.
  private func withoutID(_ row: PlannedRow) -> PlannedRow {
    var row = row
    row.reason =
      corrections.isEmpty
      ? "the journal has no ID of its task: the server did not tell it, or the import of a corrected row added the task"
      : "the import of its correction added it; \(corrections.joined(separator: " or ")) takes it back"
    return row
  }

  /// A task that was removed is added again, with another ID.
  private func again(_ done: PlannedRow) -> PlannedRow {
    var row = PlannedRow(row: done.row, line: done.line, action: .create, text: done.text)
    row.key = done.key
    row.changes = done.changes.mapValues { PlannedRow.Change(old: .null, new: $0.old) }
    let parent = TaskField.parent.rawValue
    if let id = row.changes[parent]?.new.plainText, let other = againByID[id] {
      row.changes[parent] = nil
      row.parentRow = other
    }
    return row
  }

  /// True for a task that nobody has changed since. Without a version, it says nothing but the text that was sent.
  private func isSame(_ now: APITask, as found: JournaledTask, _ reference: TaskReference) -> Bool {
    if let version = reference.entityTag { return version == now.version }
    return now.commonFields.count == 1 && StableHash.of(now.text) == found.known.textHash
  }

  private func removal(_ number: Int, _ now: APITask) -> PlannedRow {
    var row = PlannedRow(row: number, action: .refused, text: now.text, task: TaskReference(now))
    row.reason = removalRefusal
    if removalRefusal == nil { row.remove(now.commonFields) }
    return row
  }

  private func gone(_ number: Int, _ text: String, _ reference: TaskReference) -> PlannedRow {
    var row = PlannedRow(row: number, action: .gone, text: text, task: reference)
    row.reason = "the task is not there any more"
    return row
  }

  private func keep(_ row: inout PlannedRow, _ reason: String) {
    row.action = .kept
    row.changes = [:]
    row.reason = reason
  }

  /// The changes of somebody else since, in words.
  private func differences(_ done: PlannedRow, _ now: APITask) -> String {
    let names = done.newValues.filter { !now.has($0.value, in: $0.key) }.map(\.key).sorted()
    let parts = names.prefix(3).map { name in
      "\(name) is \((now.commonFields[name] ?? .null).shown) and was \((done.newValues[name] ?? .null).shown)"
    }
    if !parts.isEmpty { return "somebody has changed it since: \(parts.joined(separator: ", "))" }
    return now.completed && done.newValues[TaskField.completed.rawValue] == nil
      ? "somebody has completed it since" : "somebody has changed it since"
  }
}

extension PlanOutcome.Kind {
  /// True for a row that was carried out.
  fileprivate var isDone: Bool { [.created, .changed, .removed, .reversed].contains(self) }
}

extension APITask {
  /// True if the task has these values of common fields and no others: it may have been changed and changed back.
  fileprivate func isExactly(_ values: [String: JSON]) -> Bool {
    let wanted = values.filter { $0.value != .null && $0.value != .bool(false) }
    return Set(commonFields.keys) == Set(wanted.keys) && wanted.allSatisfy { has($0.value, in: $0.key) }
  }
}
