package import Core

/// A trace that cannot be replayed, or a run that differs from it.
package typealias ReplayError = DomainError<ReplayProblem>

/// The kinds of `ReplayError`.
package enum ReplayProblem: String, FailureKind {
  /// The trace has nothing for a replay.
  case notReplayable = "not_replayable"
  /// Another version of the program recorded it.
  case otherVersion = "other_trace_version"
  /// It was changed after it was recorded.
  case changed = "trace_changed"
  case keyUnusable = "replay_key_unusable"
  case difference = "replay_difference"
}

extension ReplayError {
  private static let recording = "record it again: b2c-run --trace FILE.json --replayable SCRIPT"

  static func notReplayable(_ name: String, _ reason: String) -> ReplayError {
    ReplayError(.notReplayable, "\(name) has nothing for a replay: \(reason)", hint: recording)
  }

  static func otherVersion(_ name: String, _ version: Int) -> ReplayError {
    let reads = "and this program replays version \(ReplayTape.version)"
    return ReplayError(
      .otherVersion, "\(name) was recorded for replays of version \(version), \(reads)",
      hint: version < ReplayTape.version ? recording : "replay it with the b2c-run that recorded it, or a newer one")
  }

  static func changed(_ name: String, _ what: String) -> ReplayError {
    ReplayError(.changed, "\(name) was changed after it was recorded: \(what)", hint: recording)
  }
}
