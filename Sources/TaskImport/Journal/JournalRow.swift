/// A row of a source, as a journal knows it.
package struct JournalRow: Sendable, Equatable {
  /// Counting from 1.
  package var row: Int
  /// Of what stands in the source.
  package var fingerprint: UInt64
  /// Of the task's text; 0 when no task was made of the row.
  package var textHash: UInt64

  package init(row: Int, fingerprint: UInt64, textHash: UInt64 = 0) {
    self.row = row
    self.fingerprint = fingerprint
    self.textHash = textHash
  }
}

/// What a journal knows of a row.
package enum RowState: UInt8, Sendable {
  /// Not sent, as far as anyone can know: a request for it never went out, or was refused for now.
  case pending = 0
  case added = 1
  /// Not to be imported.
  case skipped = 2
  case failed = 3
  /// It may have been added; nobody could find out, and it is not sent again before a person says so.
  case unsettled = 4
  /// A request went out, and what became of it was not written down: its fate is to be found out.
  case sent = 5
}

/// What became of a row, for `ImportJournal.settle`.
package enum RowOutcome: Sendable {
  case added
  case skipped
  indirect case failed(JournalFailure)
  /// Nobody could find out whether it was added.
  indirect case unsettled(JournalFailure)
  /// Takes back this run's `willSend`: no request for it went out. A row whose fate was unknown before stays unknown.
  case notSent
  /// The row's fate was unknown and has been found out: it was not added. It may be sent.
  case absent
}

/// What a journal knows of a row from the runs before.
package struct KnownRow: Sendable, Equatable {
  /// Counting from 1.
  package var row: Int
  package var fingerprint: UInt64
  /// 0 when no task was made of the row.
  package var textHash: UInt64
  package var state: RowState
  /// Since when the server may know the row's idempotency key, in Unix seconds; nil when it was never sent.
  package var sentAt: Int?
}
