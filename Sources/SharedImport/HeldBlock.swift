import HostLoop
import ImportEngine
import ImportFormats

/// A block that this worker has claimed, with the outcomes of its rows so far.
@HostActor
final class HeldBlock {
  let number: Int
  /// Grows with each claim. A write of an earlier claim changes nothing.
  let epoch: Int
  let firstRow: Int
  let rows: [BlockRow]
  /// When it was first claimed, in Unix seconds: since then servers may know the keys of its rows.
  let claimed: Int
  /// A `RowState` for each row, as it is written if this claim ends now.
  private(set) var states: [RowState]
  /// The fate of each row before this claim.
  let before: [RowState]
  /// The rows before this index are written as perhaps sent.
  var intent = 0
  private(set) var failures: [JournalFailure] = []
  private var isClosed: [Bool]
  /// The number of rows without an outcome of this claim.
  private(set) var open: Int
  /// True if outcomes are not written yet.
  var isDirty = false

  /// - Parameter intent: the rows before this index may have been sent by an earlier worker.
  init(number: Int, epoch: Int, firstRow: Int, rows: [BlockRow], states: [RowState], claimed: Int, intent: Int) {
    self.number = number
    self.epoch = epoch
    self.firstRow = firstRow
    self.rows = rows
    self.claimed = claimed
    before = states.enumerated().map { $0.offset < intent && $0.element == .pending ? .sent : $0.element }
    self.states = before
    isClosed = before.map { $0 != .pending && $0 != .sent }
    open = isClosed.count { !$0 }
  }

  func contains(row: Int) -> Bool { (firstRow..<firstRow + rows.count).contains(row) }

  /// The rows without an outcome, in order.
  var openRows: [BlockRow] { zip(rows, isClosed).compactMap { $1 ? nil : $0 } }

  func fateBefore(ofRow row: Int) -> RowState { before[row - firstRow] }

  /// The row is about to be sent.
  func willSend(row: Int) {
    states[row - firstRow] = .sent
    isDirty = true
  }

  /// The row was not sent in this claim.
  func wasNotSent(row: Int) { states[row - firstRow] = before[row - firstRow] }

  /// The outcome of a row. `sent` leaves its fate for later.
  func close(row: Int, _ state: RowState, _ failure: JournalFailure? = nil) {
    let index = row - firstRow
    states[index] = state
    if !isClosed[index] {
      isClosed[index] = true
      open -= 1
    }
    if let failure { failures.append(failure) }
    isDirty = true
  }

  /// The failures that are not written yet.
  func takeFailures() -> [JournalFailure] {
    defer { failures = [] }
    return failures
  }
}

extension [RowState] {
  var counts: RowCounts {
    var counts = RowCounts()
    for state in self {
      switch state {
      case .added: counts.added += 1
      case .skipped: counts.skipped += 1
      case .failed: counts.failed += 1
      case .unsettled: counts.unsettled += 1
      case .sent: counts.unknown += 1
      case .pending: break
      }
    }
    return counts
  }

  var bytes: [UInt8] { map(\.rawValue) }
}
