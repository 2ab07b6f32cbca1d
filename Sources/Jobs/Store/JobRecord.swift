package import JSON

/// A job as the store has it.
package struct JobRecord: Sendable, Equatable {
  package var name: String
  /// The script's file.
  package var path: String
  package var digest = ""
  /// The last correct declaration; nil if there was none. With `trouble`, it only gives the paths of requests.
  package var declaration: JSON?
  /// Why the script has no correct declaration now.
  package var trouble: String?
  /// The permissions that the script says it needs, as flags.
  package var needs: [String] = []
  /// The permissions that a person has allowed.
  package var allowed: [String] = []
  /// Why it is paused; nil if it is not.
  package var pause: String?
  /// The failed runs in a row.
  package var failures = 0
  /// The result of the last run that ended.
  package var last: RunState?
  /// `run.state`
  package var memory: JSON?
  package var created: Int64
  /// Problems of a job that starts nevertheless, for people.
  package var warnings: [String] = []

  package init(name: String, path: String, created: Int64) {
    self.name = name
    self.path = path
    self.created = created
  }

  /// The needed permissions that nobody has allowed.
  package var missing: [String] { needs.filter { !isAllowed($0) } }

  /// The permissions of a run, as flags. They are those that the script on this machine names. The database only says
  /// which of them a person has allowed.
  package var granted: [String] { allowed(among: needs) }

  /// The permissions that a person has allowed, of some permissions, as flags.
  func allowed(among flags: [String]) -> [String] { flags.filter { isAllowed($0) } }

  private func isAllowed(_ flag: String) -> Bool {
    allowed.contains(flag) || ["-A", "--allow-all"].contains(where: allowed.contains)
  }

  package mutating func pauseByHand() { pause = "by hand" }

  package mutating func resume() {
    pause = nil
    failures = 0
  }

  package mutating func allow(_ flags: [String]) { allowed += flags.filter { !allowed.contains($0) } }
}

/// A trigger as the store has it.
package struct TriggerRecord: Sendable, Equatable {
  package var job: String
  /// The trigger as text. Another text is another trigger.
  package var text: String
  /// The start of intervals. For days and times, the due times up to this one may have rows, since the clock was set back.
  package var anchor: Int64
  /// The due times up to this one are done with.
  package var last: Int64
}
