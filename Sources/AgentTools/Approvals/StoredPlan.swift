import Core
import Crypto
import Files
import HostLoop
import TaskPlans

/// A plan that a tool has made, for one session.
struct StoredPlan: Sendable {
  private static let mostRows = 300

  let path: String
  let session: String
  let digest: String
  /// The number of tasks that it would add, change or remove.
  let writes: Int
  /// The plan as a table, with all of its texts: a person approves what is there.
  let text: String
  let source: String

  /// Reads the plan that was written there. Throws if the file is not a complete plan.
  init(_ path: String, session: String) throws {
    let reader = try PlanReader(OpenFile(path, .reading), name: path.lastName)
    var table = PlanTable(reader.header, most: Self.mostRows)
    var writes = 0
    while let row = try reader.next() {
      if row.action.isWrite { writes += 1 }
      table.add(row)
    }
    self.path = path
    self.session = session
    digest = reader.digest
    self.writes = writes
    text = table.decisionText(file: path)
    source = reader.header.source
  }

  /// Throws if the file has another plan now.
  func check() throws {
    guard try PlanReader(OpenFile(path, .reading), name: path.lastName).digest == digest else {
      throw ToolError("plan_changed", "the file of the plan was changed", hint: "make a new plan")
    }
  }
}

/// The plans of the sessions. A session knows its own plans alone.
@HostActor
final class PlanDesk {
  private static let most = 200

  private let folder: String
  private var plans: [StoredPlan] = []
  /// The digests of the plans that were carried out, by session.
  private var ended: [String: Set<String>] = [:]

  init(folder: String) { self.folder = folder }

  /// A path for a new plan, or for a file that a plan is made of.
  func newPath(_ ending: String) -> String { "\(folder)/\(Base64URL.encode(SecureRandom.bytes(12))).\(ending)" }

  func keep(_ path: String, session: String) throws -> StoredPlan {
    let plan = try StoredPlan(path, session: session)
    plans.append(plan)
    while plans.count > Self.most { forget(plans[0]) }
    return plan
  }

  /// The plan of a digest or of the beginning of one. Throws for a plan of another session, as for one that there is not.
  func plan(_ digest: String, of session: String) throws -> StoredPlan {
    let digits = digest.hasPrefix("sha256:") ? String(digest.dropFirst(7)) : digest
    func isNamed(_ digest: String) -> Bool { digits.count >= 12 && digest.dropFirst(7).hasPrefix(digits) }
    let found = plans.filter { $0.session == session && isNamed($0.digest) }
    if let plan = found.first, found.count == 1 { return plan }
    let name = digest.displayable.clipped(to: 80)
    if found.isEmpty, ended[session]?.contains(where: isNamed) == true {
      throw ToolError(
        "carried_out", "the plan '\(name)' was carried out already", hint: "for more changes, make a new plan")
    }
    throw ToolError(
      "no_plan", "there is no plan '\(name)' of this session", hint: "plans are made by tools such as tasks_add")
  }

  /// The plan was carried out, as far as it could be.
  func end(_ plan: StoredPlan) {
    ended[plan.session, default: []].insert(plan.digest)
    forget(plan)
  }

  /// Removes a plan that will not be carried out any more.
  func forget(_ plan: StoredPlan) {
    plans.removeAll { $0.path == plan.path }
    _ = FileSystem.unlink(plan.path)
  }

  func forgetAll() { for plan in plans { forget(plan) } }
}
