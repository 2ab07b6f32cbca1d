import HostLoop
import ImportEngine
import ImportFormats
import ImportJournal
import JSON
import TaskAPI
import TaskPlans

/// The rows of a plan that send something, as the source of an import: first the new tasks, then the changes of tasks that are
/// there, then the removals. So tasks that are added have their parents, the list of tasks tells about new tasks before any other
/// task has changed, and a sub-task has moved elsewhere before its parent goes. A row has its place in this order as its number,
/// which is the same in every run.
@HostActor
final class PlanRowSource: RowSource {
  private let plan: PlanReader
  private let parents: PlanParents
  /// The stages of a plan, each of which begins when the one before has ended.
  nonisolated static let stages: [PlannedRow.Action] = [.create, .change, .remove]
  private var stage = stages.startIndex
  private let lastStage: Int
  private var row: PlannedRow?
  private var count = 0
  /// Has the tasks of the rows before, by their numbers in this order.
  private let journal: ImportJournal
  /// The reason why a new task must not be added; nil for one that may be.
  private let obstacle: @HostActor (PlannedRow, _ number: Int) -> String?

  /// - Parameter last: the stage after which the source ends.
  init(
    _ plan: PlanReader, _ parents: PlanParents, upTo last: Int, journal: ImportJournal,
    obstacle: @escaping @HostActor (PlannedRow, _ number: Int) -> String?
  ) throws {
    self.plan = plan
    self.parents = parents
    lastStage = last
    self.journal = journal
    self.obstacle = obstacle
    try plan.rewind()
  }

  func next() async throws -> SourceRecord? {
    while true {
      guard let next = try plan.next() else {
        if stage == lastStage { return nil }
        stage += 1
        try plan.rewind()
        continue
      }
      guard next.action == Self.stages[stage] else { continue }
      row = next
      count += 1
      return SourceRecord(
        number: count, line: next.line, content: .opaque,
        fingerprint: StableHash.of("\(next.row) \(next.action) \(next.task?.id ?? "") \(next.text)"))
    }
  }

  func draft(of record: SourceRecord) async throws -> RowDraft {
    guard let row else { return .skipped }
    if row.action == .create {
      if let reason = obstacle(row, record.number) {
        return .unusable(code: PlanOutcomes.conflictCode, reason: reason, text: row.text)
      }
      return .task(draft(ofNew: row))
    }
    return try await draft(ofEdit: row)
  }

  private func draft(ofNew row: PlannedRow) -> TaskDraft {
    var draft = TaskDraft(text: row.text)
    draft.fields = row.newValues.filter { $0.key != TaskField.text.rawValue && $0.value != .null }
    if let text = row.newValues[TaskField.text.rawValue]?.string { draft.text = text }
    draft.sourceID = parents.name(of: row)
    if let parent = row.parentRow {
      draft.fields[TaskField.parent.rawValue] = .string(parents.name(ofParent: parent))
    } else {
      draft.hasParentID = draft.fields[TaskField.parent.rawValue] != nil
    }
    return draft
  }

  private func draft(ofEdit row: PlannedRow) async throws -> RowDraft {
    guard let task = row.task else {
      return .unusable(code: PlanOutcomes.conflictCode, reason: "the plan names no task", text: row.text)
    }
    var draft = TaskDraft(text: row.text)
    draft.hasParentID = true
    draft.sourceID = row.key
    var changes = row.newValues
    if let parent = row.parentRow {
      guard let number = parents.numbers[parent], let made = try await journal.fates(of: [number])[number]?.task
      else {
        return .unusable(
          code: PlanOutcomes.conflictCode, reason: "its parent, row \(parent), was not added", text: row.text)
      }
      changes[TaskField.parent.rawValue] = .string(made.id)
    }
    if row.action == .change {
      draft.fields = changes.filter { $0.key != TaskField.text.rawValue && $0.value != .null }
    }
    draft.edit = TaskEdit(task, changes: row.action == .remove ? nil : changes, old: row.oldValues)
    return .task(draft)
  }

  var fields: [String]? { nil }
  var hasSourceIDs: Bool { parents.hasNames }
  func sourceID(of record: SourceRecord) -> String? { row.flatMap(parents.name) }
  var leftOut: LeftOut? { nil }
  var bytesRead: Int { 0 }
  var totalBytes: Int? { nil }
}

/// The rows of a plan whose tasks are parents of others.
struct PlanParents {
  /// The places of their tasks among the new ones, by the numbers of the rows.
  private(set) var numbers: [Int: Int] = [:]
  private var keys: [Int: String] = [:]
  private let hasKeys: Bool

  init(_ plan: PlanReader) throws(PlanError) {
    hasKeys = plan.header.keyColumn != nil
    var wanted: Set<Int> = []
    try plan.rewind()
    while let row = try plan.next() { if let parent = row.parentRow { wanted.insert(parent) } }
    guard !wanted.isEmpty else { return }
    try plan.rewind()
    var count = 0
    while let row = try plan.next() {
      guard row.action == .create else { continue }
      count += 1
      if wanted.contains(row.row) { (numbers[row.row], keys[row.row]) = (count, row.key) }
    }
  }

  /// True if rows have names, by which their parents are found and later plans find their tasks.
  var hasNames: Bool { hasKeys || !numbers.isEmpty }

  func name(of row: PlannedRow) -> String? { row.key ?? (numbers.isEmpty ? nil : Self.name(row.row)) }
  func name(ofParent row: Int) -> String { keys[row] ?? Self.name(row) }
  private static func name(_ row: Int) -> String { "row \(row)" }
}
