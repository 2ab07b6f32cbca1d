import SQLite

extension JournalStore {
  /// These rows are about to be sent.
  func send(_ rows: [JournalRow]) throws {
    let time = now()
    for row in rows {
      let chunk = try chunk(of: row.row)
      let old = chunk.state(row.row)
      chunk.identify(row)
      // A server may have the row's key from before: since then its memory of it grows old.
      if old == .sent { unknownBefore.insert(row.row) } else if old != .unsettled { chunk.setTime(row.row, time) }
      leave(old, row.row)
      chunk.setOutcome(row.row, .pending)
      counts.move(from: old, to: .sent)
      touch(chunk)
    }
    record.finishedRows = nil
  }

  /// Writes down what became of a row.
  func settle(_ row: JournalRow, _ outcome: RowOutcome) throws {
    let chunk = try chunk(of: row.row)
    let old = chunk.state(row.row)
    let new: RowState
    var failure: JournalFailure?
    switch outcome {
    case .added: new = .added
    case .skipped: new = .skipped
    case .failed(let reason): (new, failure) = (.failed, reason)
    case .unsettled(let reason): (new, failure) = (.unsettled, reason)
    case .notSent where unknownBefore.contains(row.row): new = .sent
    case .notSent, .absent: new = .pending
    }
    // A row that was journaled when it was sent is the same row.
    if old == nil || old == .pending { chunk.identify(row) }
    if new != .sent { unknownBefore.remove(row.row) }
    leave(old, row.row)
    if new == .pending { chunk.setTime(row.row, nil) }
    chunk.setOutcome(row.row, new == .sent ? .pending : new)
    counts.move(from: old, to: new)
    if old == nil || new == .pending { record.finishedRows = nil }
    touch(chunk)
    if let failure { keep(failure, of: row.row, isUnsettled: new == .unsettled) }
  }

  /// Everything is to be imported once more.
  func forgetRows(newID: String) {
    gather { database in
      for name in JournalSchema.rowTableNames + ["baseline", "lost"] { try database.execute("DELETE FROM \(name)") }
      try database.executeScript("PRAGMA user_version = \(JournalSchema.version)")
    }
    record.version = JournalSchema.version
    record.id = newID
    record.created = now()
    record.baselineTotal = nil
    record.finishedRows = nil
    record.digests = JournalDigests()
    replaceRows(JournalCounts(), highestChunk: -1, digest: 0)
  }

  /// The row is no longer what it was.
  private func leave(_ old: RowState?, _ row: Int) {
    guard old == .failed || old == .unsettled else { return }
    gather { try $0.execute("DELETE FROM failures WHERE row = ?", .integer(Int64(row))) }
  }

  private func keep(_ failure: JournalFailure, of row: Int, isUnsettled: Bool) {
    var failure = failure
    failure.failure.row = row
    failure.failure.isUnsettled = isUnsettled
    gather { [failure] in try failure.write($0) }
  }
}
