import Databases
import Files
package import ImportEngine
package import ImportFormats

extension JournalShelf {
  /// Makes the folder, if it is not there.
  package func makeFolder() throws(ImportError) { try JournalFiles.make(folder: folder) }

  /// The last import into the same account and API that sent rows and whose first rows are like those of a source; nil
  /// without one. The rows tell: the file may have been moved, copied, packed, or come through a pipe. Journals that cannot be
  /// read are passed over.
  /// - Parameter beginning: the first records, with the hashes of journals of earlier versions if the parameter is true.
  package func earlier(
    _ identity: ImportIdentity, beginning: (_ isOfOldJournal: Bool) throws -> [SourceRecord]
  ) throws -> JournalSummary? {
    var known: [Bool: [UInt64]] = [:]
    var found: JournalSummary?
    for name in try names() {
      let file = OutputPlace("\(folder)/\(name)")
      guard let first = try? firstRows(file, identity), !first.rows.isEmpty else { continue }
      if known[first.isOld] == nil {
        known[first.isOld] = try StableHash.$isOfOldJournal.withValue(first.isOld) {
          try beginning(first.isOld).map(\.fingerprint)
        }
      }
      let rows = known[first.isOld] ?? []
      guard SourceBeginning.areAlike(rows, first.rows) else { continue }
      let journal = summary(file: file)
      guard journal.trouble == nil, journal.counts.added + journal.counts.unsettled + journal.counts.unknown > 0 else {
        continue
      }
      if found.map({ $0.updated < journal.updated }) ?? true { found = journal }
    }
    return found
  }

  /// The fingerprints of the first rows of a journal of that account and API; none for another one.
  private func firstRows(_ file: OutputPlace, _ identity: ImportIdentity) throws -> (rows: [UInt64], isOld: Bool) {
    let place = try JournalFiles.place(file)
    guard try JournalSchema.checkHeader(of: place) else { return ([], false) }
    let database = try SQLiteConnection(distrusting: place, isReadOnly: true)
    guard let version = try JournalSchema.version(of: database),
      try database.first(
        "SELECT 1 FROM journal WHERE account = ? AND api = ?", .text(identity.account), .text(identity.api)) != nil,
      let chunk = try JournalChunk.first(from: 0, in: database, version: version), chunk.number == 0
    else { return ([], false) }
    var rows: [UInt64] = []
    while rows.count < SourceBeginning.read(of: PreviewedReader.most), let row = chunk.knownRow(rows.count + 1) {
      rows.append(row.fingerprint)
    }
    return (rows, version <= JournalSchema.lastWithoutLengths)
  }
}
