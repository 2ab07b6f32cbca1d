import HostLoop
import ImportFormats

/// Reports the state of an import ten times a second.
@HostActor
final class ProgressWatch {
  private static let interval = 0.1

  private let source: any RowSource
  private let state: RunState
  private let ledger: RowLedger
  private let settlement: Settlement
  private let gate: Gate
  private var meter = ProgressMeter()

  init(_ source: any RowSource, _ state: RunState, _ ledger: RowLedger, _ settlement: Settlement, _ gate: Gate) {
    self.source = source
    self.state = state
    self.ledger = ledger
    self.settlement = settlement
    self.gate = gate
  }

  func watch(_ tell: @HostActor (ProgressSnapshot) -> Void) async throws {
    while true {
      try await HostLoop.shared.sleep(seconds: Self.interval)
      sample()
      tell(snapshot())
    }
  }

  /// The last snapshot; the statistics are complete afterwards.
  func finish() -> ProgressSnapshot {
    // Counts the rows that were settled since the last sample.
    sample()
    state.statistics.finish(at: state.now)
    state.statistics.concurrency = gate.window.changes
    var last = snapshot()
    last.rate = Double(settled) / max(last.seconds, 0.001)
    last.isFinished = true
    return last
  }

  private func sample() {
    state.statistics.sample(
      settled: settled, failed: ledger.report.failed, inFlight: gate.inFlight, limit: gate.window.limit, at: state.now)
  }

  private var settled: Int { ledger.report.settled + ledger.report.unsettled - ledger.report.resumed.rows }

  private func snapshot() -> ProgressSnapshot {
    var snapshot = ProgressSnapshot()
    let (time, report) = (state.now, ledger.report)
    noteLastRows(at: time)
    snapshot.phase = state.phase
    if let wait = state.wait, wait.until > time, state.phase != .draining {
      snapshot.phase = .waiting(until: wait.until, reason: wait.reason)
    }
    snapshot.source.rows = report.total
    snapshot.counts.added = report.added
    snapshot.counts.skipped = report.skipped
    snapshot.counts.failed = report.failed
    snapshot.counts.unsettled = report.unsettled + settlement.count
    snapshot.resumedRows = report.resumed.rows
    snapshot.retried = report.retried
    snapshot.inFlight = gate.inFlight
    snapshot.limit = gate.window.limit
    snapshot.source.bytes = source.bytesRead
    snapshot.source.totalBytes = source.totalBytes
    if ledger.queue.sourceHasEnded { snapshot.source.totalRows = report.total }
    snapshot.seconds = time
    snapshot.rate = meter.rate(settled: settled, at: time)
    return snapshot
  }

  /// Begins a wait if all rows that are left wait for a second or longer.
  private func noteLastRows(at time: Double) {
    let queue = ledger.queue
    guard state.phase == .sending, gate.inFlight == 0, queue.count == 0, queue.sourceHasEnded,
      state.wait?.until ?? 0 <= time, let next = queue.nextReturn, next.seconds >= 1
    else { return }
    state.beginWait(until: time + next.seconds, WaitReason(next.row.lastError))
  }
}

/// The rows a second over a sliding window: the figure follows the server without jumping.
package struct ProgressMeter {
  private static let window = 5.0

  private var samples: [(seconds: Double, settled: Int)] = [(0, 0)]

  package init() {}

  /// Returns the rows a second over the last seconds.
  package mutating func rate(settled: Int, at seconds: Double) -> Double {
    samples.append((seconds, settled))
    while samples.count > 2, samples[1].seconds < seconds - Self.window { samples.removeFirst() }
    let past = seconds - samples[0].seconds
    return past > 0 ? Double(settled - samples[0].settled) / past : 0
  }
}
