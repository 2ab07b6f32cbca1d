import Glibc

/// The status that the program ends with.
package enum ExitStatus: Int32, Sendable {
  case done = 0
  case failed = 1
  case usage = 2
  case settings = 3
  /// The script was not allowed to do something.
  case permission = 4
  case failedRows = 5
  /// The time or memory limit was reached.
  case limit = 124
  /// The terminal was closed: 128 and SIGHUP.
  case hungUp = 129
  case interrupted = 130
  /// Nobody reads standard output any more: 128 and SIGPIPE, as a shell shows programs that end of it.
  case outputClosed = 141
  /// Another process asked for the end: 128 and SIGTERM.
  case terminated = 143

  /// The texts of help.
  package static let meanings: [(codes: String, meaning: String)] = [
    ("0", "success"), ("1", "the script failed"), ("2", "wrong arguments"), ("3", "missing or wrong settings"),
    ("4", "a permission was missing"), ("5", "rows of an import failed or are unsettled"),
    ("124", "the limit of time or memory was reached"), ("129, 130, 143", "ended by SIGHUP, Ctrl-C or SIGTERM"),
    ("141", "the reader of standard output has ended"),
  ]

  /// The status of a run that a signal ended.
  package init(signal: Int32) { self = [SIGTERM: .terminated, SIGHUP: .hungUp][signal] ?? .interrupted }

  /// Why the process stopped the run, as a trace says it.
  package var sentence: String {
    switch self {
    case .interrupted: "the run was interrupted"
    case .terminated: "the run was ended by SIGTERM"
    case .hungUp: "the terminal was closed (SIGHUP)"
    case .limit: "the time that --timeout gave the run was over"
    case .outputClosed: "nobody reads standard output any more"
    default: "the run was stopped"
    }
  }
}
