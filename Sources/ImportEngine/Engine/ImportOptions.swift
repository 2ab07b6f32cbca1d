import HostLoop

package struct ImportOptions: Sendable {
  /// The most requests at a time.
  package static let mostConcurrency = 1024

  /// The treatment of rows that the journal knows from earlier runs.
  package enum Resume: String, Sendable, CaseIterable {
    /// Continue behind them; an error if they have changed.
    case yes
    case no
    /// Take rows as done that are the same as known rows, at any place. `ImportEngine.match` comes before.
    case match
  }

  /// The treatment of rows of unknown fate.
  package enum Unsettled: String, Sendable, CaseIterable {
    case resend
    case skip
  }

  /// The way in which a row of unknown fate is sent again without a second task, if keys are honored.
  package enum Repetition: Sendable {
    /// The server takes a key once, for a day at least.
    case key
    /// The key is the task's ID or name, for good.
    case ownID
    /// The service looks for the key before it adds the task.
    case find
  }

  /// The part of other machines in an import.
  package enum Sharing: Sendable {
    case alone
    /// Others add tasks at the same time: the list of tasks tells nothing about a row, so that rows of unknown fate are left
    /// for later.
    case sending
    /// The others are done. Rows that they left are found out, by the tasks that were counted before the import.
    case settling
  }

  /// The keys that tell the server which requests are one.
  package struct Keys: Sendable {
    /// True if the server takes requests with one `Idempotency-Key` for one request; nil: its answers tell.
    package var areHonored: Bool?
    package var repetition = Repetition.key
  }

  /// The treatment of things that a row names and the service does not keep or have.
  package struct Missing: Sendable {
    /// Ends the import if the server does not keep a field.
    package var endsImport = false
    /// Makes the lists that rows name and the service does not have.
    package var makesLists = false
  }

  /// Times in seconds.
  package struct Delays: Sendable {
    /// The longest wait before the first of the repetitions, doubled up to `longest`. `Retry-After` has priority.
    package var first = 0.25
    package var longest = 10.0
    /// The wait for a server that takes nothing or cannot be reached, also before the first row; nil: `retries` times
    /// `longest`.
    package var patience: Double?
    /// From the last unanswered request until the list of tasks is believed: the server may still work on it.
    package var settling = 2.0
    /// In which requests under way may finish after a cancellation.
    package var drain = 5.0
  }

  package var keys = Keys()
  package var delays = Delays()
  /// The bounds for the number of requests under way.
  package var concurrency: ClosedRange<Int> = 1...16
  /// The most rows a second; nil for no limit.
  package var rate: Double?
  /// The most repetitions of a row after a temporary refusal (429, 503, unreachable) while no other row succeeds.
  package var retries = 5
  package var resume = Resume.yes
  /// Nil: rows of unknown fate are reported and left alone.
  package var unsettled: Unsettled?
  /// The import ends after more failed rows than this; nil for no limit.
  package var maximumFailures: Int?
  /// A row is skipped if a task of the account or an earlier row has the same value in this field, such as `text`.
  package var dedupe: String?
  package var missing = Missing()
  package var sharing = Sharing.alone
  /// Reads and checks every row, and sends none.
  package var isDryRun = false

  package init() {}

  package var isStrict: Bool {
    get { missing.endsImport }
    set { missing.endsImport = newValue }
  }

  /// A longer wait than this, in seconds, ends the import: it would look like a hang, unless the user asks for it.
  var longestPause: Double { max(Self.usualLongestPause, delays.patience ?? 0) }
  static let usualLongestPause = 300.0

  /// The wait that a server asks for, in seconds; nil if it asks for none.
  func wait(_ asked: Double?) -> Wait { Wait(asked: asked, deadline: longestPause) }

  /// The most seconds that `wait` takes: a week.
  package static let longestWait: Int64 = 604_800

  var patience: Double { delays.patience ?? Double(retries) * delays.longest }

  /// Seconds before the next token is tried; `number` counts from 1.
  func renewalDelay(_ number: Int) -> Double {
    min(delays.longest, 4 * delays.first * Double(1 << min(number - 1, 20)))
  }
}
