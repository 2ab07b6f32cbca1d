/// A row that failed or is unsettled, with what stood in the source.
package struct JournalFailure: Sendable, Equatable {
  package var failure: RowFailure
  /// The row's content before any mapping, as JSON; nil where it is not known.
  package var content: String?

  package init(_ failure: RowFailure, content: String?) {
    self.failure = failure
    self.content = content
  }
}
