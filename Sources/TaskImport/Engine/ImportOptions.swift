/// How an import goes about it.
package struct ImportOptions: Sendable {
  /// The treatment of rows that the journal knows from earlier runs.
  package enum Resume: String, Sendable, CaseIterable {
    /// Go on behind them; an error when they are not the same any more.
    case yes
    /// Import everything as new.
    case no
    /// Take rows that are the same as known ones as done, wherever they stand now: `ImportEngine.match` goes before.
    case match
  }

  /// The treatment of rows of unknown fate.
  package enum Unsettled: String, Sendable, CaseIterable {
    case resend
    case skip
  }

  /// How many requests are under way at a time: between these, as the server bears it.
  package var concurrency: ClosedRange<Int> = 1...16
  /// Rows a second at most; nil for as fast as the server takes them.
  package var rate: Double?
  /// How often a row that the server could not take just now (429, 503, unreachable) is sent again while no other row
  /// gets through either.
  package var retries = 5
  /// The longest wait before the first of these, in seconds; each further one may be twice as long, up to
  /// `longestDelay`. `Retry-After` goes before.
  package var firstDelay = 0.25
  package var longestDelay = 10.0
  /// Seconds for which a server that takes nothing, or cannot be reached, is waited for, also before the first row; nil:
  /// `retries` times `longestDelay`.
  package var wait: Double?
  /// True if the server takes requests with one `Idempotency-Key` for one; nil: found out by its answers.
  package var honorsIdempotencyKey: Bool?
  /// Seconds from the last request without an answer until the list of tasks is believed about it: the server may still
  /// be at it.
  package var settleAfter = 2.0
  package var resume = Resume.yes
  /// Nil: such rows are reported and left alone.
  package var unsettled: Unsettled?
  /// More failed rows than this end the import; nil for no limit.
  package var maximumFailures: Int?
  /// Rows whose value of this field a task of the account has already, or an earlier row, are skipped: `text`, or the
  /// name of another field.
  package var dedupe: String?
  /// Reads and checks every row, and sends none.
  package var isDryRun = false
  /// Seconds that requests under way get to finish when the import is canceled.
  package var drain = 5.0

  package init() {}

  /// For how long a server is waited for.
  var patience: Double { wait ?? Double(retries) * longestDelay }

  /// Seconds before another token is tried, for the time with that number, counting from 1.
  func renewalDelay(_ number: Int) -> Double { min(longestDelay, 4 * firstDelay * Double(1 << min(number - 1, 20))) }
}
