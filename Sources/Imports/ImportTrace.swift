import Core
import HostLoop
import ImportEngine
import ImportFormats
import ImportReport

/// Emits the phases of an import, and its rows that are sent again or fail, as events of the run.
@HostActor
final class ImportTrace {
  private let events: Events
  private var phase = ""
  private var limit = 0
  private let start = HostLoop.uptime

  init(of events: Events, _ source: String) {
    self.events = events
    guard events.isWatched(RunEvent.self) else { return }
    emit("begin", ["source": .text(source)])
    events.watch(ImportEvent.self) { [self] event, _ in tell(event) }
  }

  private func tell(_ event: ImportEvent) {
    switch event {
    case .phase(let phase): tell(phase)
    case .progress(let snapshot):
      // A phase comes before the things that are done in it.
      if !snapshot.isFinished { tell(snapshot.phase) }
      // The limit is of no interest before the first request.
      guard snapshot.limit != limit, snapshot.phase != .readingKnownRows else { return }
      limit = snapshot.limit
      emit("concurrency", ["limit": .number(limit)])
    case .retry(let row, let attempt, let error):
      emit("retry", ["row": .number(row), "attempt": .number(attempt)], error)
    case .failed(let failure):
      var facts = ["row": RunEvent.Fact.number(failure.row)]
      // `line` is that of the script.
      facts["sourceLine"] = failure.line.map { .number(Int($0)) }
      emit("row failed", facts, RowError(failure))
    case .notice: break
    }
  }

  private func tell(_ phase: ProgressSnapshot.Phase) {
    var facts: [String: RunEvent.Fact] = [:]
    let name =
      switch phase {
      case .readingKnownRows: "reading known rows"
      case .sending: "sending"
      case .settling: "settling"
      case .draining: "draining"
      case .waiting: "waiting"
      }
    guard name != self.phase else { return }
    self.phase = name
    if case .waiting(_, let reason) = phase { facts["because"] = .text(reason.description) }
    emit(name, facts)
  }

  func ended(_ summary: ImportSummary) {
    let report = summary.report
    var facts: [String: RunEvent.Fact] = ["ending": .text(summary.ending.code)]
    for (name, count) in [
      ("total", report.total), ("added", report.added), ("skipped", report.skipped), ("failed", report.failed),
      ("unsettled", report.unsettled), ("retried", report.retried),
    ] { facts[name] = .number(Int(count)) }
    events.emit(RunEvent.importing(phase: "end", facts, start: start))
  }

  private func emit(_ phase: String, _ facts: [String: RunEvent.Fact], _ error: (any Error)? = nil) {
    events.emit(RunEvent.importing(phase: phase, facts, error: error))
  }
}

/// The reason of a failed row as an error.
private struct RowError: Failure {
  let code: String
  let message: String
  let status: Int?

  init(_ failure: RowFailure) { (code, message, status) = (failure.code, failure.reason, failure.status) }
}
