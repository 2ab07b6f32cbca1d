package import JSON
package import TaskAPI

/// The result of an import. The report of a resumed import counts the rows of earlier runs, too.
package struct ImportReport: Sendable, Equatable {
  /// All rows: `added` + `skipped` + `failed` + `unsettled` + `unsent`.
  package var total = 0
  package var added = 0
  /// The rows of `added` that earlier runs added.
  package var addedBefore = 0
  package var addedNow: Int { added - addedBefore }
  package var skipped = 0
  package var failed = 0
  /// Sent, with an unknown outcome.
  package var unsettled = 0
  /// Sent, and left to be found out later, when no other machine adds tasks.
  package var unknown = 0
  /// Read but not sent, because the import ended early.
  package var unsent = 0
  /// The first row whose fate was not known from earlier runs; nil if there was none.
  package var resumedAt: Int?
  package var retried = 0
  /// The rows of this run whose fields the server did not keep, by the field.
  package var lost: [String: Int] = [:]
  package var seconds = 0.0
  /// The first failures of this run, `maximumFailures` at most; `failed` and `unsettled` count all.
  package var failures: [RowFailure] = []

  /// Bounds the memory. Handlers get every failure, and the journal has them all.
  package static let maximumFailures = 1000

  /// Rows that earlier runs have done.
  package var resumed = 0

  var isUntouched: Bool { settled == resumed && unsettled == 0 && unsent == 0 }

  package var settled: Int { added + skipped + failed }

  mutating func keep(_ failure: RowFailure) { if failures.count < Self.maximumFailures { failures.append(failure) } }
}

/// A row that did not become a task.
package struct RowFailure: Sendable, Equatable {
  /// Counting from 1.
  package var row: Int
  package var line: Int?
  /// One sentence.
  package var reason: String
  /// The error's code, such as `conflict` or `timeout`; `empty_text` for a row without text.
  package var code: String
  package var status: Int?
  package var text: String
  /// True if the task may exist: its request got no answer. Sending the row again could add it twice.
  package var isUnsettled: Bool
  /// The row as it is in the source; nil if it cannot be written as JSON.
  package var original: JSON?

  package init(
    row: Int, line: Int?, reason: String, code: String, status: Int? = nil, text: String, isUnsettled: Bool = false,
    original: JSON? = nil
  ) {
    self.row = row
    self.line = line
    self.reason = reason
    self.code = code
    self.status = status
    self.text = text
    self.isUnsettled = isUnsettled
    self.original = original
  }
}

package enum FailureDecision: Sendable {
  case keep
  /// The row does not count as failed.
  case skip
  case stop
  /// Send this task instead.
  case change(TaskDraft)
}
