package import HostLoop

/// The fate of each row of an import, as the engine needs it. A row is written before it is sent, and again when its
/// fate is known. `ImportJournal` is a file of one machine; `BlockJournal` is a part of a database that several use.
@HostActor
package protocol RowJournal: AnyObject {
  /// True if it had no rows when it was opened.
  var isNew: Bool { get }
  /// True if its hashes of contents do not include lengths; see `StableHash`.
  var hasOldHashes: Bool { get }
  var summary: JournalSummary { get }

  /// The beginning of the row's idempotency key, the same in every run.
  func keyStem(of row: Int) -> String
  /// The known rows in order of their number.
  func knownRows() throws(ImportError) -> KnownRows
  /// Writes rows that are about to be sent. When it throws, none of them may be sent.
  func willSend(_ rows: [JournalRow]) async throws(ImportError)
  /// Writes the outcome of a row, and does not wait for that.
  func settle(_ row: JournalRow, _ outcome: RowOutcome)
  /// The fate of a sent row is left to be found out later.
  func leaveUnknown(_ row: JournalRow)
  /// Waits until everything handed over so far is written.
  func flush() async throws(ImportError)
  /// Records that the source was read to its end and that all its rows are settled.
  func finish(rows: Int) async throws(ImportError)
  /// Forgets all rows, so that everything is imported once more.
  func startAnew() async throws(ImportError)

  /// True if the API honors `Idempotency-Key`; nil while that is not known.
  var honorsIdempotencyKey: Bool? { get }
  func setHonorsIdempotencyKey(_ honors: Bool)

  /// The number of rows that are known as added, and of those with each of these texts.
  var addedCount: Int { get }
  func addedCounts(of hashes: Set<UInt64>) async throws(ImportError) -> [UInt64: Int]
  /// The number of tasks before the import, nil if it is not known, and of those with each of these texts.
  var baselineTotal: Int? { get }
  func baselineCounts(of hashes: Set<UInt64>) async throws(ImportError) -> [UInt64: Int]
  func setBaseline(total: Int, counts: [UInt64: Int]) async throws(ImportError)
  /// The number of rows of unknown fate with each of these texts that a changed source no longer has.
  func lostCounts(of hashes: Set<UInt64>) async throws(ImportError) -> [UInt64: Int]
}

extension ImportJournal: RowJournal {
  /// A row that was sent and has no outcome is of unknown fate already.
  package func leaveUnknown(_ row: JournalRow) {}
}
