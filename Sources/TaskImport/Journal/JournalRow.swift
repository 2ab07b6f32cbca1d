/// A row of a source in a journal.
package struct JournalRow: Sendable, Equatable {
  /// Counting from 1.
  package var row: Int
  package var fingerprint: UInt64
  /// The hash of the task's text; 0 if no task was made of the row.
  package var textHash: UInt64 = 0
}

package enum RowState: UInt8, Sendable {
  /// Not sent: a request for it was never sent, or was refused for now.
  case pending = 0
  case added = 1
  case skipped = 2
  case failed = 3
  /// Nobody could find out whether it was added. It is not sent again until a person decides.
  case unsettled = 4
  /// A request was sent, and its outcome was not written: the fate is to be found out.
  case sent = 5
}

/// The outcome of a row, for `ImportJournal.settle`.
package enum RowOutcome: Sendable {
  case added
  case skipped
  indirect case failed(JournalFailure)
  /// Nobody could find out whether it was added.
  indirect case unsettled(JournalFailure)
  /// Takes back this run's `willSend`: no request was sent. A row of unknown fate keeps it.
  case notSent
  /// The fate was found out: the row was not added. It may be sent.
  case absent
}

/// A row that a journal knows from earlier runs.
package struct KnownRow: Sendable, Equatable {
  /// Counting from 1.
  package var row: Int
  package var fingerprint: UInt64
  /// 0 if no task was made of the row.
  package var textHash: UInt64
  package var state: RowState
  /// The time in Unix seconds since which the server may know the row's key; nil if it was never sent.
  package var sentAt: Int?
}

struct JournalCounts: Sendable, Equatable {
  private var numbers = [Int](repeating: 0, count: 6)

  subscript(state: RowState) -> Int {
    get { numbers[Int(state.rawValue)] }
    set { numbers[Int(state.rawValue)] = newValue }
  }

  var rows: Int { numbers.reduce(0, +) }

  mutating func move(from old: RowState?, to new: RowState) {
    if let old { self[old] -= 1 }
    self[new] += 1
  }
}
