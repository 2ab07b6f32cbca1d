/// A row of a source, as a journal knows it.
package struct JournalRow: Sendable, Equatable {
  /// Counting from 1.
  package var row: Int
  /// The hash of the row in the source.
  package var fingerprint: UInt64
  /// The hash of the task's text; 0 if no task was made of the row.
  package var textHash: UInt64

  package init(row: Int, fingerprint: UInt64, textHash: UInt64 = 0) {
    self.row = row
    self.fingerprint = fingerprint
    self.textHash = textHash
  }
}

/// The state of a row in a journal.
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

/// The outcome of a row, for `ImportJournal.settle`.
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

/// A row that a journal knows from the runs before.
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

/// How many rows of a journal are in which state.
struct JournalCounts: Sendable, Equatable {
  private var numbers = [Int](repeating: 0, count: 6)

  subscript(state: RowState) -> Int {
    get { numbers[Int(state.rawValue)] }
    set { numbers[Int(state.rawValue)] = newValue }
  }

  /// Rows the journal knows.
  var rows: Int { numbers.reduce(0, +) }

  /// A row has come, or has changed.
  mutating func move(from old: RowState?, to new: RowState) {
    if let old { self[old] -= 1 }
    self[new] += 1
  }
}
