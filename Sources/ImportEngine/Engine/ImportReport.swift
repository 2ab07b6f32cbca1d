package import ImportFormats
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
  /// Read but not sent, because the import ended early.
  package var unsent = 0
  /// The rows that earlier runs have done, and the first row whose fate they did not tell; nil if there was none.
  package var resumed = Resumed()
  package var retried = 0
  /// The fields of rows of this run that are lost, with the causes.
  package var losses = Losses()
  /// The rows of this run that lost a field, by the field.
  package var lost: [String: Int] { losses.rows }
  package var seconds = 0.0
  /// The first failures of this run, `maximumFailures` at most; `failed` and `unsettled` count all.
  package var failures: [RowFailure] = []

  /// Bounds the memory. Handlers get every failure, and the journal has them all.
  package static let maximumFailures = 1000

  package struct Resumed: Sendable, Equatable {
    package var rows = 0
    package var at: Int?
  }

  package init() {}

  package var isUntouched: Bool { settled == resumed.rows && unsettled == 0 && unsent == 0 }

  package var settled: Int { added + skipped + failed }

  mutating func keep(_ failure: RowFailure) { if failures.count < Self.maximumFailures { failures.append(failure) } }
}

package enum FailureDecision: Sendable {
  case keep
  /// The row does not count as failed.
  case skip
  case stop
  /// Send this task instead.
  case change(TaskDraft)
}

extension ImportError {
  /// Returns the error of an import that ended early, with the figures up to it.
  package func with(_ report: ImportReport) -> ImportError {
    var error = self
    let done = [
      ("added", report.addedNow), ("failed", report.failed), ("skipped", report.skipped),
      ("unsettled", report.unsettled), ("not sent", report.unsent),
    ]
    let figures = done.filter { $0.0 == "added" || $0.1 > 0 }.map { "\($0.1) \($0.0)" }
    error.message += "; until then: \(figures.joined(separator: ", "))"
    for (name, number) in done { error.details[name == "not sent" ? "unsent" : name] = String(number) }
    return error
  }
}
