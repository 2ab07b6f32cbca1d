import HostLoop
import JSON

@testable import Jobs

/// The facts that programs outside have seen or heard. They must be true, now and later.
@HostActor
final class JobLedger {
  private let trace: Trace
  /// The requests that were accepted, by their IDs, with the jobs.
  private(set) var accepted: [String: String] = [:]
  /// All requests that were sent, with the jobs.
  private(set) var sent: [String: String] = [:]
  private var begun: [Int64: Int] = [:]
  private var completed: Set<Int64> = []
  private var steps: Set<String> = []
  private var state: Int64 = 0
  /// The requests that runs wait for, and that were accepted.
  private(set) var answers: Set<Int64> = []
  /// The runs that were made by command, and were canceled by one.
  private(set) var commanded: Set<Int64> = []
  private(set) var canceled: Set<Int64> = []

  init(_ trace: Trace) { self.trace = trace }

  func sent(_ id: String, to job: String) { sent[id] = job }
  func accepted(_ id: String, by job: String) { accepted[id] = job }
  func accepted(waitOf run: Int64) { answers.insert(run) }
  func commanded(_ run: Int64) { commanded.insert(run) }
  func canceled(_ run: Int64) { canceled.insert(run) }

  func began(_ run: RunRecord, on machine: String) {
    begun[run.id, default: 0] += 1
    trace.log("run \(run.id) of \(run.job) begins on \(machine), try \(run.attempt)")
    guard run.job == "once" else { return }
    trace.check(begun[run.id] == 1, "the run \(run.id) of once, which is not to be repeated, began twice")
  }

  func completed(_ run: RunRecord) {
    completed.insert(run.id)
  }

  func sawStep(_ run: Int64, _ name: String, _ isStored: Bool) {
    trace.check(
      isStored || !steps.contains("\(run) \(name)"),
      "the step \(name) of the run \(run) was acknowledged, and is gone")
  }

  func storedStep(_ run: Int64, _ name: String) { steps.insert("\(run) \(name)") }

  func sawState(_ number: Int64, by run: Int64) {
    trace.check(number >= state, "the run \(run) of counter got the state \(number), after \(state) was acknowledged")
  }

  func storedState(_ number: Int64) { state = max(state, number) }

  func wentOn(_ run: Int64, _ answer: JSON) {
    trace.check(answer["kind"]?.string == "answer", "the run \(run) went on without its request: \(answer.encoded())")
  }

  // MARK: The end

  /// Checks the rows of a store at a time at which everything has come to rest.
  /// - Parameter limit: runs that were made later may still be open, in milliseconds since 1970.
  func check(_ runs: [RunRecord], before limit: Int64) {
    for run in runs {
      trace.check(
        !run.state.isOpen || run.created > limit,
        "the run \(run.id) of \(run.job) never ends: \(run.state.rawValue) \(run.reason ?? "")")
      if run.state == .ok {
        trace.check(
          completed.contains(run.id), "the run \(run.id) of \(run.job) is ok, and its script never came to its end")
      }
      let most = mostBegun(run)
      trace.check(
        (begun[run.id] ?? 0) <= most,
        "the run \(run.id) of \(run.job) began \(begun[run.id] ?? 0) times, at most \(most)")
    }
    checkRequests(runs)
    checkFollowers(runs)
    let ids = Set(runs.map(\.id))
    for run in commanded.sorted() { trace.check(ids.contains(run), "the run \(run) of a command is gone") }
    let ended = Dictionary(uniqueKeysWithValues: runs.map { ($0.id, $0.state) })
    for run in canceled.sorted() {
      trace.check(ended[run] != .ok || completed.contains(run), "the run \(run) was canceled, and is ok")
    }
    for run in answers.sorted() {
      trace.check(ended[run] != nil && ended[run]?.isOpen == false, "the run \(run) never got its accepted request")
    }
  }

  private func mostBegun(_ run: RunRecord) -> Int {
    switch run.job {
    case "failing": run.interruptions + 3
    // Each sleep and each wait needs another process.
    case "sleeper", "waiter": run.interruptions + 3
    default: run.interruptions + 1
    }
  }

  private func checkRequests(_ runs: [RunRecord]) {
    var found: [String: Int] = [:]
    for run in runs { if let id = run.event["client"]?.string { found["\(run.job) \(id)", default: 0] += 1 } }
    for (id, job) in sent.sorted(by: { $0.key < $1.key }) {
      let count = found["\(job) \(id)"] ?? 0
      trace.check(count <= 1, "the request \(id) made \(count) runs of \(job)")
      if accepted[id] != nil {
        trace.check(count == 1, "the request \(id) to \(job) was accepted, and has \(count) runs")
      }
    }
  }

  private func checkFollowers(_ runs: [RunRecord]) {
    let followed = runs.filter { $0.job == "follower" }.compactMap { $0.event["run"]?["id"]?.lenientInteger }
    trace.check(Set(followed).count == followed.count, "a run has two followers")
    let expected = Set(runs.filter { $0.job == "steps" }.map(\.id))
    trace.check(
      Set(followed) == expected,
      "runs without followers: \(expected.subtracting(followed).sorted()), followers of others: \(Set(followed).subtracting(expected).sorted())"
    )
  }

  /// Checks that each due time of a job has a row.
  /// - Parameters:
  ///   - interval: between two due times, in milliseconds.
  ///   - isExact: false if somebody has set a clock.
  func checkDueTimes(_ runs: [RunRecord], of job: String, every interval: Int64, isExact: Bool) {
    let rows = runs.filter { $0.job == job && $0.due != nil }.sorted { $0.due! < $1.due! }
    trace.check(Set(rows.map(\.due)).count == rows.count, "a due time of \(job) came twice")
    for (one, next) in zip(rows, rows.dropFirst()) {
      let step = next.due! - (one.until ?? one.due!)
      trace.check(
        step <= interval, "between two due times of \(job) are \(step) ms, and not \(interval): after run \(one.id)")
      if isExact {
        trace.check(step == interval, "a due time of \(job) came \(step) ms after another one: run \(next.id)")
      }
    }
    trace.check(rows.count > 1, "\(job) was never due")
  }
}
