package import HostLoop
package import ImportFormats
package import TaskAPI

/// The place where the fate of each row of an import is written. A row is written before it is sent, and again when its
/// fate is known. `ImportJournal` is a file of one machine; `BlockJournal` is a part of a database that several use.
@HostActor
package protocol RowJournal: AnyObject {
  /// Writes rows that are about to be sent. When it throws, none of them may be sent.
  func willSend(_ rows: [JournalRow]) async throws(ImportError)
  /// Writes the outcome of a row, and does not wait for that.
  func settle(_ row: JournalRow, _ outcome: RowOutcome)
  /// The fate of a sent row is left to be found out later.
  func leaveUnknown(_ row: JournalRow)
  /// Waits until everything handed over so far is written.
  func flush() async throws(ImportError)
}

/// The outcome of a row, for `RowJournal.settle`.
package enum RowOutcome: Sendable {
  /// As this task; nil if its ID is not known.
  case addedAs(TaskReference?)
  case skipped
  indirect case failed(JournalFailure)
  /// Nobody could find out whether it was added.
  indirect case unsettled(JournalFailure)
  /// Takes back this run's `willSend`: no request was sent. A row of unknown fate keeps it.
  case notSent
  /// The fate was found out: the row was not added. It may be sent.
  case absent
}
