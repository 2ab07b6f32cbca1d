import Core
import JOSE
import JSON
import PageStyle

/// A JWT of the run, and what came of its validation.
struct SeenToken {
  /// `[id token #1]`
  let label: String
  let kind: String
  let header: JSON
  let claims: JSON
  let event: TraceEvent
  let validations: [TraceEvent]

  static func all(_ trace: RecordedTrace) -> [SeenToken] {
    let validations = Dictionary(grouping: trace.events.filter { $0.type == "validation" }) { $0.text("token") ?? "" }
    return trace.events.filter { $0.type == "token" }.map { event in
      let label = event.text("label") ?? "[token]"
      return SeenToken(
        label: label, kind: event.text("kind") ?? "token", header: event.json["header"] ?? .null,
        claims: event.json["claims"] ?? .null, event: event, validations: validations[label] ?? [])
    }
  }

  /// When it was seen.
  func moment(_ trace: RecordedTrace) -> UnixTime {
    UnixTime((UnixTime(iso: trace.started)?.seconds ?? 0) + Double(event.at) / 1e6)
  }
}
