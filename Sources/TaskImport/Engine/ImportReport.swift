package import JSON
package import TaskAPI

/// The result of an import. The report of a resumed import counts the rows of earlier runs, too.
package struct ImportReport: Sendable, Equatable {
  /// Rows read. `total` = `added` + `skipped` + `failed` + `unsettled` + `unsent`.
  package var total = 0
  package var added = 0
  /// The rows of `added` that earlier runs added.
  package var addedBefore = 0
  /// The rows of `added` that this run added.
  package var addedNow: Int { added - addedBefore }
  package var skipped = 0
  package var failed = 0
  /// Sent, and nobody can tell whether they were added.
  package var unsettled = 0
  /// Read but not sent, because the import ended before.
  package var unsent = 0
  /// The first row whose fate was not known from earlier runs; nil where there was none.
  package var resumedAt: Int?
  /// Requests that were made again.
  package var retried = 0
  package var seconds = 0.0
  /// The first failures of this run, `maximumFailures` at most; `failed` and `unsettled` count all.
  package var failures: [RowFailure] = []

  /// A million failed rows shall not fill the memory; whoever wants each of them hears of it when it happens, and the
  /// journal has them all.
  package static let maximumFailures = 1000

  package init() {}

  /// Rows that earlier runs have done.
  package var resumed = 0

  /// True if this run has done nothing so far.
  var isUntouched: Bool { settled == resumed && unsettled == 0 && unsent == 0 }

  /// Rows whose fate is known.
  package var settled: Int { added + skipped + failed }
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
  /// The task's text.
  package var text: String
  /// True if the task may exist all the same: the request went out and its answer never came. Sending it again could
  /// add it twice.
  package var isUnsettled: Bool
  /// The row as it stands in the source; nil where that is not JSON's to say.
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

/// A decision about a row that failed.
package enum FailureDecision: Sendable {
  /// It stays failed.
  case keep
  /// It does not count as failed: nobody wants it.
  case skip
  /// The import ends.
  case stop
  /// This is to be sent in its place.
  case change(TaskDraft)
}
