import HostLoop
import TaskAPI
import TaskPlans

/// The parents of rows that are other rows of the source. A first pass over the source learns what becomes of each row; then
/// the parent of a row is known, wherever it stands.
@HostActor
final class PlannerParents {
  /// The parent of a row in the plan.
  enum Parent {
    /// The ID of a task that is there.
    case task(String)
    /// A row whose task the plan adds.
    case row(Int)
    /// Without a parent, for that reason.
    case lost(String)
  }

  private enum Outcome {
    case task(String)
    case created
    case nothing(PlannedRow.Action)
  }

  private let survey: PlannerSurvey
  private var outcomes: [Int: Outcome] = [:]
  private var links: [Int: Int] = [:]
  /// The first rows of circles, with the rows of the circle.
  private var circles: [Int: [Int]] = [:]

  init(_ survey: PlannerSurvey) { self.survey = survey }

  /// Notes that a row names its parent.
  func link(_ row: Int, to name: String) { if let parent = survey.row(named: name) { links[row] = parent } }

  /// Notes what becomes of a row.
  func learn(_ row: PlannedRow) {
    outcomes[row.row] =
      switch row.action {
      case .same, .change: row.task.map { .task($0.id) } ?? .nothing(row.action)
      case .create: .created
      case .skipped, .remove, .conflict, .refused, .kept, .gone: .nothing(row.action)
      }
  }

  /// Finds the circles, after all rows are known.
  func findCircles() {
    var seen: [Int: Int] = [:]
    for start in links.keys.sorted() where seen[start] == nil {
      var path: [Int] = []
      var row: Int? = start
      while let next = row, seen[next] == nil {
        seen[next] = start
        path.append(next)
        row = links[next]
      }
      guard let end = row, seen[end] == start, let first = path.firstIndex(of: end) else { continue }
      let circle = path[first...].sorted()
      circles[circle[0]] = circle
    }
  }

  /// The parent that a row names.
  func parent(of row: Int, named name: String) -> Parent {
    guard let number = survey.row(named: name) else {
      return .lost("no row of the source has the ID '\(name.prefix(60))', so that it has no parent")
    }
    if let circle = circles[row] {
      let rows = circle.prefix(5).map(String.init).joined(separator: ", ")
      return .lost(
        circle.count == 1
          ? "it names itself as its parent" : "its parents form a circle (rows \(rows)), so that it has none")
    }
    switch outcomes[number] {
    case .task(let id): return .task(id)
    case .created: return .row(number)
    case .nothing(let action): return .lost("its parent, row \(number), has no task (\(action.rawValue))")
    case nil: return .lost("its parent, row \(number), is not known")
    }
  }
}
