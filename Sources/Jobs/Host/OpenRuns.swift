package import HostLoop
import JSON
import JobConditions
package import Schedule

/// The runs that have not ended, for the question what a run waits for.
@HostActor
package struct OpenRuns {
  private let runs: [RunRecord]
  private let declarations: [String: JobDeclaration]
  private let pause: String?
  private let zone: Zone

  init(_ model: JobModel, _ zone: Zone, now: Int64) {
    runs = Array(model.runs.values)
    declarations = model.jobs.compactMapValues(\.declaration)
    pause = model.pause.reason(at: now, in: zone)
    self.zone = zone
  }

  /// The runs as a store has them.
  package init(_ store: JobStore, _ zone: Zone, now: Int64) async throws {
    runs = try await store.openRuns()
    let names = Set(runs.filter { $0.state == .due }.map(\.job))
    var declarations: [String: JobDeclaration] = [:]
    // A run that goes on counts for its group, too.
    for name in names.union(runs.filter { $0.state == .started }.map(\.job)) {
      guard let json = try await store.job(name)?.declaration else { continue }
      declarations[name] = try? JobDeclaration(json, zone: zone)
    }
    self.declarations = declarations
    pause = try await store.hostPause().reason(at: now, in: zone)
    self.zone = zone
  }

  /// The reason for which a run that has not begun waits; nil for another run, and for one that begins at once.
  package func reason(of run: RunRecord) -> String? {
    guard run.state == .due else { return nil }
    if let reason = run.reason ?? obstacle(of: run) { return reason }
    let count = runs.count { $0.state == .started }
    return count == 0 ? nil : "waits for a free place: \(count) \(count == 1 ? "run goes" : "runs go") on"
  }

  /// The pause, the run or the group that keeps a run from its start, however many runs may go on.
  func obstacle(of run: RunRecord) -> String? {
    if let pause, !run.isByHand { return "waits for the end of the pause: \(pause)" }
    let declaration = declarations[run.job]
    let others = runs.filter { $0.job == run.job && $0.key == run.key && $0.state != .due }
    if others.count >= declaration?.overlap.width ?? 1, let other = others.min(by: { $0.id < $1.id }) {
      return "waits for the end of the run \(other.id)\(state(of: other))"
    }
    guard let group = declaration?.group else { return nil }
    let active = runs.filter { $0.state == .started && declarations[$0.job]?.group?.name == group.name }
    guard active.count >= group.atMost else { return nil }
    let names = active.sorted { $0.id < $1.id }.prefix(5).map { "run \($0.id) of \($0.job)" }.joined(separator: ", ")
    return "waits for the group \(group.name), of which at most \(group.atMost) may run: \(names)"
  }

  private func state(of run: RunRecord) -> String {
    let time = run.wake.map { zone.civil(at: $0).text } ?? ""
    return switch run.state {
    case .retry: ", which failed and is tried again at \(time)"
    case .asleep: ", which sleeps until \(time)"
    case .waiting: ", which waits for \(run.reason ?? "a request")"
    default: ""
    }
  }
}

extension RunRecord {
  /// True for a run that a person has started.
  var isByHand: Bool { kind == "hand" || event["by_hand"] == true }
  /// True for a run of a due time that somebody has asked for later.
  var isBackfill: Bool { event["backfill"] == true }
}
