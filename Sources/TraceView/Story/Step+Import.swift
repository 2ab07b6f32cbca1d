import PageStyle
import Trace

extension Step {
  /// - Parameter event: `import`
  /// - Returns: nil for a phase that is not known.
  static func importPhase(_ event: TraceEvent) -> Step? {
    guard let phase = event.text("phase"), let (title, tone) = description(phase, event) else { return nil }
    var step = Step(event, .note, .host, .host, "import: \(title)", tone: tone)
    if phase == "end", let took = event.took {
      step.title += " in \(Amount.duration(took))"
      step.standAtItsEnd()
    }
    if ["concurrency", "retry", "row failed", "waiting"].contains(phase) {
      step.fold = "import \(phase) \(step.failure?.code ?? "")"
    }
    return step
  }

  private static func description(_ phase: String, _ event: TraceEvent) -> (String, Tone)? {
    let row = event.json.integer("row") ?? 0
    switch phase {
    case "begin": return (event.text("source") ?? "begins", .plain)
    case "reading known rows": return ("reading what is done", .quiet)
    case "sending", "settling": return (phase, .quiet)
    case "draining": return ("waiting for the last answers", .quiet)
    case "waiting": return ("waits, \(event.text("because") ?? "for a while")", .warn)
    case "concurrency":
      return ("up to \(Amount.count(event.json.integer("limit") ?? 0, "request")) at once", .quiet)
    case "retry": return ("row \(row) once more", .warn)
    case "row failed":
      let line = event.json.integer("sourceLine").map { " (line \($0))" } ?? ""
      return ("row \(row)\(line) failed", .bad)
    case "end":
      let counts = ["added", "skipped", "failed", "unsettled", "retried"].compactMap { name in
        event.json.integer(name).flatMap { $0 > 0 ? "\(Amount.count($0)) \(name)" : nil }
      }
      let failed = event.json.integer("failed") ?? 0
      return ("\(event.text("ending") ?? "ended"): \(counts.joined(separator: ", "))", failed > 0 ? .warn : .good)
    default: return nil
    }
  }
}
