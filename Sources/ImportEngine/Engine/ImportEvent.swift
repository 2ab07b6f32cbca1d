package import ImportFormats

package enum ImportEvent: Sendable {
  /// Sent ten times a second, and once at the end.
  case progress(ProgressSnapshot)
  /// A phase began. Waiting is no phase here: only the progress has it.
  case phase(ProgressSnapshot.Phase)
  case retry(row: Int, attempt: Int, error: any Error)
  case failed(RowFailure)
  /// A sentence for people.
  case notice(String)
}
