import HostLoop
import JSON
import TaskAPI

/// Judges the lists that rows name, before anything is sent.
@HostActor
enum PlannerLists {
  enum Judgment {
    case there
    /// The list is made when the plan is applied.
    case made(String)
    case refused(String)

    var note: String? { if case .made(let name) = self { "the list '\(name.prefix(60))' is made first" } else { nil } }
  }

  static func judge(_ task: TaskDraft, _ terms: PlannerTerms) async throws -> Judgment {
    let name = task.fields[TaskField.list.rawValue]?.string
    guard name != nil || terms.makesLists else { return .there }
    do {
      try await terms.service.checkList(of: task)
      return .there
    } catch let error as TaskAPIError where error.kind == .unknownList || error.kind == .ambiguousList {
      let canMake = error.kind == .unknownList && terms.service.makesLists
      if canMake, terms.makesLists, let name { return .made(name) }
      let advice =
        canMake && !terms.makesLists
        ? "--make-lists (make_lists = true in a script) makes the lists that are missing" : nil
      return .refused(([error.message] + [error.hint, advice].compactMap(\.self)).joined(separator: "; "))
    }
  }
}
