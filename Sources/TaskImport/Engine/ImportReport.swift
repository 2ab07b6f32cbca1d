/// What an import did.
package struct ImportReport: Sendable, Equatable {
  /// Rows read. `total` = `added` + `skipped` + `failed` + `unsent`.
  package var total = 0
  package var added = 0
  package var skipped = 0
  package var failed = 0
  /// Read but not sent, because the import ended before.
  package var unsent = 0
  package var seconds = 0.0
  /// The first failures, `maximumFailures` at most; `failed` counts all.
  package var failures: [RowFailure] = []

  /// A million failed rows shall not fill the memory; whoever wants each of them hears of it when it happens.
  package static let maximumFailures = 1000

  package init() {}
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
  /// Whether the task may exist all the same: the request went out and its answer never came. Sending it again could
  /// add it twice.
  package var isUnsettled: Bool

  package init(
    row: Int, line: Int?, reason: String, code: String, status: Int? = nil, text: String, isUnsettled: Bool = false
  ) {
    self.row = row
    self.line = line
    self.reason = reason
    self.code = code
    self.status = status
    self.text = text
    self.isUnsettled = isUnsettled
  }
}
