import HostLoop
import JSON
import TaskAPI
import TaskPlans

/// The tasks whose keys a source that is the whole truth no longer has.
@HostActor
struct PlannerRemovals {
  /// The tasks, by name.
  let missing: [(index: Int, key: String)]
  /// The number of tasks that have keys.
  let keyed: Int
  private let tasks: PlannerTasks

  private static let fewest = 10

  init(_ tasks: PlannerTasks, _ survey: PlannerSurvey, _ history: PlannerHistory) {
    self.tasks = tasks
    var missing: [(index: Int, key: String)] = []
    var keyed = 0
    for (index, entry) in tasks.entries.enumerated() {
      guard let key = tasks.key(of: entry) ?? history.key(ofTask: entry.reference.id) else { continue }
      keyed += 1
      if !survey.has(key) { missing.append((index, key)) }
    }
    self.missing = missing.sorted { tasks.entries[$0.index].text < tasks.entries[$1.index].text }
    self.keyed = keyed
  }

  /// True for more than half of the tasks with keys, if these are more than a few or all.
  var areMany: Bool { missing.count * 2 > keyed && (missing.count > Self.fewest || missing.count == keyed) }

  /// The rows of the plan, which follow those of the source.
  /// - Parameter refusal: the reason why the service removes no tasks; nil if it does.
  func rows(after last: Int, refusal: String?) -> some Sequence<PlannedRow> {
    missing.enumerated().lazy.map { offset, task in
      let entry = tasks.entries[task.index]
      var row = PlannedRow(row: last + offset + 1, action: .refused, text: entry.text, task: entry.reference)
      row.key = task.key
      row.reason = refusal
      if refusal == nil { row.remove(entry.values) }
      return row
    }
  }
}
