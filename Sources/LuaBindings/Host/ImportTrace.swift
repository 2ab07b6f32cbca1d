import HostLoop
import JSON
import TaskImport
import Trace

/// Tells the trace of a run how an import gets on.
@HostActor
final class ImportTrace {
  private let trace: TraceRecorder
  private var phase = ""
  private var limit = 0
  private let start = HostLoop.uptime

  init(_ trace: TraceRecorder, _ engine: ImportEngine, _ source: String) {
    self.trace = trace
    trace.importing("begin", ["source": .string(source)])
    // A look ten times a second would tell it after the first requests.
    engine.onPhase = { self.tell($0) }
    engine.onRetry = { row, attempt, error in
      trace.importing("retry", ["row": .integer(Int64(row)), "attempt": .integer(Int64(attempt))], error: error)
    }
    engine.onFailure = { failure in
      var facts: [String: JSON] = [
        "row": .integer(Int64(failure.row)),
        "error": [
          "code": .string(failure.code), "message": .string(failure.reason),
          "status": failure.status.map { .integer(Int64($0)) } ?? .null,
        ],
      ]
      // `line` is that of the script.
      facts["sourceLine"] = failure.line.map { .integer(Int64($0)) }
      trace.importing("row failed", facts)
    }
  }

  /// What is new since the last one.
  func tell(_ snapshot: ProgressSnapshot) {
    // What is done in a phase stands behind it.
    if !snapshot.isFinished { tell(snapshot.phase) }
    guard snapshot.limit != limit else { return }
    limit = snapshot.limit
    trace.importing("concurrency", ["limit": .integer(Int64(limit))])
  }

  private func tell(_ phase: ProgressSnapshot.Phase) {
    let name = Self.name(phase)
    guard name != self.phase else { return }
    self.phase = name
    var facts: [String: JSON] = [:]
    if case .waiting(_, let reason) = phase { facts["because"] = .string(reason.description) }
    trace.importing(name, facts)
  }

  func ended(_ summary: ImportSummary) {
    let report = summary.report
    var facts: [String: JSON] = ["ending": .string(summary.ending.code)]
    for (name, count) in [
      ("total", report.total), ("added", report.added), ("skipped", report.skipped), ("failed", report.failed),
      ("unsettled", report.unsettled), ("retried", report.retried),
    ] { facts[name] = .integer(Int64(count)) }
    trace.importing("end", facts, from: start)
  }

  private static func name(_ phase: ProgressSnapshot.Phase) -> String {
    switch phase {
    case .readingKnownRows: "reading known rows"
    case .sending: "sending"
    case .settling: "settling"
    case .draining: "draining"
    case .waiting: "waiting"
    }
  }
}
