package import JSON

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

/// A row that failed or is unsettled, with its content in the source.
package struct JournalFailure: Sendable, Equatable {
  package var failure: RowFailure
  /// The row's content before any mapping, as JSON; nil if it is not known.
  package var content: String?
  /// The row as a file of failed rows names it; nil if it is not known. It is no part of the stored failure.
  package var origin: RowOrigin?

  package init(_ failure: RowFailure, content: String?, origin: RowOrigin? = nil) {
    self.failure = failure
    self.origin = origin
    self.content = content
  }

  package init(_ failure: RowFailure) { self.init(failure, content: failure.original?.encoded()) }
}
