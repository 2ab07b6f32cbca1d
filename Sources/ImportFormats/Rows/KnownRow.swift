/// A row of a source in a journal.
package struct JournalRow: Sendable, Equatable {
  /// Counting from 1.
  package var row: Int
  package var fingerprint: UInt64
  /// The hash of the task's text; 0 if no task was made of the row.
  package var textHash: UInt64
  /// The name that the source has for the task; nil without one.
  package var sourceID: String?

  package init(row: Int, fingerprint: UInt64, textHash: UInt64 = 0, sourceID: String? = nil) {
    self.row = row
    self.fingerprint = fingerprint
    self.textHash = textHash
    self.sourceID = sourceID
  }
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

  package init(row: Int, fingerprint: UInt64, textHash: UInt64, state: RowState, sentAt: Int? = nil) {
    self.row = row
    self.fingerprint = fingerprint
    self.textHash = textHash
    self.state = state
    self.sentAt = sentAt
  }
}
