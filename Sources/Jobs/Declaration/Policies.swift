import HostLoop

/// The rule for a run that is due while another run of the job has not ended.
package enum Overlap: Sendable, Equatable {
  case skip
  /// At most `limit` runs wait; nil for any number.
  case queue(limit: Int?)
  /// The older run is canceled.
  case restart
  /// `count` runs at once. At most `limit` more wait; nil for any number.
  case parallel(count: Int, limit: Int?)

  /// True if no more runs may wait.
  func isFull(active: Int, waiting: Int) -> Bool {
    switch self {
    case .queue(let limit?): active > 0 && waiting >= limit
    case .parallel(let count, let limit?): active >= count && waiting >= limit
    default: false
    }
  }

  /// The runs that may go on at once.
  var width: Int { if case .parallel(let count, _) = self { count } else { 1 } }
}

/// The rule for due times that passed while the host was down.
package enum CatchUp: String, Sendable, CaseIterable {
  case none, one, all

  /// More due times than these are skipped.
  static let most = 100
}

/// Failed runs are tried again.
package struct Retry: Sendable, Equatable {
  /// Counts the first try.
  package var attempts = 3
  /// The longest wait before the second try, in milliseconds.
  package var first: Int64 = 10_000
  package var most: Int64 = 600_000
  /// The codes of the errors that are tried again; nil for all that may heal.
  package var codes: Set<String>?

  /// Errors that another try with the same script and the same permissions cannot heal.
  private static let lasting: Set = ["permission_denied", "syntax_error", "bad_job", "invalid_argument", "usage"]

  /// True if a failure with this code is worth another try. What a declaration names is.
  func repeats(_ code: String) -> Bool { codes?.contains(code) ?? !Self.lasting.contains(code) }

  /// The longest wait in milliseconds after try `attempt` failed.
  func longestWait(after attempt: Int) -> Int64 {
    let doublings = min(max(0, attempt - 1), 40)
    return min(most, first.multipliedReportingOverflow(by: 1 << doublings).overflow ? most : first << doublings)
  }

  /// The wait before the next try: the job's own in milliseconds, or the seconds that a server asks for.
  func wait(own: Int64, asked: Double?) -> Int64 {
    let own = Double(own) / 1000
    return StoredTime.time(seconds: Wait(asked: asked, least: own, deadline: max(own, Wait.longest)).seconds)
  }
}

/// The rule for a run that the end of the machine or of the host cut off.
package enum Interruption: String, Sendable, CaseIterable {
  case report, again

  /// A run that is cut off more often is reported.
  static let mostAgain = 5
}

/// Jobs that share something, such as a rate limit: at most so many of their runs go on at once.
package struct JobGroup: Sendable, Equatable {
  package var name: String
  package var atMost: Int
}

/// How long the history of a job is kept.
package struct Keep: Sendable, Equatable {
  package var days = 30
  package var runs = 1000
}
