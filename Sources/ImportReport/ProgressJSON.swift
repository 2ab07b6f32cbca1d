package import ImportEngine
import JSON

/// The output of `--progress json`: one object a line, its members always the same.
///
///     {"added":880,"bytes_read":41210,"failed":2,"finished":false,"fraction":0.42,"in_flight":16,"limit":16,
///      "phase":"sending","rate":412.5,"resumed_rows":0,"retried":3,"rows":882,"rows_read":896,"seconds":2.1,
///      "seconds_left":2.9,"skipped":0,"total_bytes":98765,"total_rows":null,"unsettled":0,"wait_reason":null,
///      "wait_seconds":null}
///
/// `phase` is `reading`, `sending`, `settling`, `draining`, `waiting` or, in the last line, `finished`. What is not known
/// is null. `wait_reason` is the `code` of a `WaitReason`.
package enum ProgressJSON {
  /// The object, without a line break.
  package static func render(_ snapshot: ProgressSnapshot) -> String {
    var wait: (seconds: JSON, reason: JSON) = (.null, .null)
    if case .waiting(let until, let reason) = snapshot.phase, !snapshot.isFinished {
      wait = (number(max(0, until - snapshot.seconds), 1), .string(reason.code))
    }
    let object: JSON = [
      "phase": .string(phase(snapshot)), "rows": integer(snapshot.settled), "rows_read": integer(snapshot.source.rows),
      "added": integer(snapshot.counts.added), "skipped": integer(snapshot.counts.skipped),
      "failed": integer(snapshot.counts.failed),
      "unsettled": integer(snapshot.counts.unsettled), "retried": integer(snapshot.retried),
      "resumed_rows": integer(snapshot.resumedRows), "in_flight": integer(snapshot.inFlight),
      "limit": integer(snapshot.limit), "bytes_read": integer(snapshot.source.bytes),
      "total_bytes": integer(snapshot.source.totalBytes), "total_rows": integer(snapshot.source.totalRows),
      "fraction": snapshot.fraction.map { number($0, 4) } ?? .null, "rate": number(snapshot.rate, 1),
      "seconds": number(snapshot.seconds, 3), "seconds_left": snapshot.secondsLeft.map { number($0, 1) } ?? .null,
      "wait_seconds": wait.seconds, "wait_reason": wait.reason, "finished": .bool(snapshot.isFinished),
    ]
    return object.encoded()
  }

  private static func phase(_ snapshot: ProgressSnapshot) -> String {
    if snapshot.isFinished { return "finished" }
    return switch snapshot.phase {
    case .readingKnownRows: "reading"
    case .sending: "sending"
    case .settling: "settling"
    case .draining: "draining"
    case .waiting: "waiting"
    }
  }

  static func integer(_ value: Int?) -> JSON { value.map { .integer(Int64($0)) } ?? .null }

  /// Rounds to so many decimals: nobody reads more.
  static func number(_ value: Double, _ decimals: Int) -> JSON {
    let scale = [1.0, 10, 100, 1000, 10000, 100_000, 1_000_000][decimals]
    return .number((value * scale).rounded() / scale)
  }
}
