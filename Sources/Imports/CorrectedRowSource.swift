import HostLoop
import ImportFormats

/// The rows of a file of failed rows. A row that another import has settled already is skipped.
@HostActor
final class CorrectedRowSource: RowSource {
  private let source: any RowSource
  let ledger: OriginLedger
  private let skipsSettled: Bool
  private var origins: [(row: Int, origins: [RowOrigin])] = []
  /// The rows that were read so far.
  private(set) var rowsRead = 0
  private(set) var skipped = 0
  /// The rows that name a row of an import which nobody knows.
  private(set) var unresolved = 0

  /// - Parameter skipsSettled: false to import all rows once more.
  init(_ source: any RowSource, _ ledger: OriginLedger, skipsSettled: Bool) {
    self.source = source
    self.ledger = ledger
    self.skipsSettled = skipsSettled
  }

  /// The same for the source that is opened again.
  func same(_ source: any RowSource) -> CorrectedRowSource {
    CorrectedRowSource(source, ledger, skipsSettled: skipsSettled)
  }

  func next() async throws -> SourceRecord? {
    guard var record = try await source.next() else { return nil }
    rowsRead += 1
    var known: [RowOrigin] = []
    for origin in record.origins { if let found = try await ledger.resolve(origin) { known.append(found) } }
    if known.count < record.origins.count { unresolved += 1 }
    record.origins = known
    if !record.origins.isEmpty { origins.append((record.number, record.origins)) }
    return record
  }

  func draft(of record: SourceRecord) async throws -> RowDraft {
    let draft = try await source.draft(of: record)
    // Blocks of a shared import have no origins: their rows were judged when they were planned.
    guard skipsSettled, case .task = draft else { return draft }
    for origin in record.origins where try await ledger.isSettled(origin) {
      skipped += 1
      return .skipped
    }
    return draft
  }

  /// The rows of earlier imports for which these stand, without those of the rows `failed`.
  func origins(without failed: Set<Int>) -> [RowOrigin] {
    origins.filter { !failed.contains($0.row) }.flatMap(\.origins)
  }

  var draftsDependOnEarlier: Bool { source.draftsDependOnEarlier }
  var beginning: [SourceRecord] { source.beginning }
  var fields: [String]? { source.fields }
  var table: SourceTable? { source.table }
  var leftOut: LeftOut? { source.leftOut }
  var hasSourceIDs: Bool { source.hasSourceIDs }
  func sourceID(of record: SourceRecord) -> String? { source.sourceID(of: record) }
  var isReady: Bool { source.isReady }
  func interrupt() { source.interrupt() }
  var bytesRead: Int { source.bytesRead }
  var totalBytes: Int? { source.totalBytes }
}
