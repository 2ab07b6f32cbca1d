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
  /// The object, without an end of the line.
  package static func render(_ snapshot: ProgressSnapshot) -> String {
    var wait: (seconds: JSON, reason: JSON) = (.null, .null)
    if case .waiting(let until, let reason) = snapshot.phase, !snapshot.isFinished {
      wait = (number(max(0, until - snapshot.seconds), 1), .string(reason.code))
    }
    let object: JSON = [
      "phase": .string(phase(snapshot)), "rows": .integer(Int64(snapshot.settled)),
      "rows_read": .integer(Int64(snapshot.rowsRead)), "added": .integer(Int64(snapshot.added)),
      "skipped": .integer(Int64(snapshot.skipped)), "failed": .integer(Int64(snapshot.failed)),
      "unsettled": .integer(Int64(snapshot.unsettled)), "retried": .integer(Int64(snapshot.retried)),
      "resumed_rows": .integer(Int64(snapshot.resumedRows)), "in_flight": .integer(Int64(snapshot.inFlight)),
      "limit": .integer(Int64(snapshot.limit)), "bytes_read": .integer(Int64(snapshot.bytesRead)),
      "total_bytes": snapshot.totalBytes.map { .integer(Int64($0)) } ?? .null,
      "total_rows": snapshot.totalRows.map { .integer(Int64($0)) } ?? .null,
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

  /// With so many decimals, which is all that anyone reads.
  static func number(_ value: Double, _ decimals: Int) -> JSON {
    let scale = [1.0, 10, 100, 1000, 10000, 100_000, 1_000_000][decimals]
    return .number((value * scale).rounded() / scale)
  }
}
