/// Something that happened in an import.
package enum ImportEvent: Sendable {
  /// Comes ten times a second, and once at the end.
  case progress(ProgressSnapshot)
  /// A phase began. Waiting is no such phase: only the progress has it.
  case phase(ProgressSnapshot.Phase)
  /// A row will be sent again.
  case retry(row: Int, attempt: Int, error: any Error)
  /// A row has failed for good.
  case failed(RowFailure)
  /// A sentence for people: the import goes on, or the list cannot be read.
  case notice(String)
}
