import Core
import Files
import HostLoop
import ImportEngine
import ImportFormats
import ImportJournal
import SharedImport

/// The rows that failed in earlier imports into the same account and API, for an import of a file of failed rows.
@HostActor
final class OriginLedger {
  private let identity: ImportIdentity
  private let shelf: JournalShelf?
  private let shared: SharedImports?
  private var journals: [FailedJournal]?
  /// The failed rows of imports in the database, by the ID of the import; nil for an import that is not there.
  private var sharedRows: [String: [Int: String]?] = [:]
  /// The import in the database of the source beside which the file is, once somebody has looked.
  private var sharedBeside: String??

  init(_ identity: ImportIdentity, _ shelf: JournalShelf?, _ shared: SharedImports?) {
    self.identity = identity
    self.shelf = shelf
    self.shared = shared
  }

  /// Takes a journal from another place than the usual folder, if it is that of an import whose rows failed. Returns false for
  /// another file.
  func adopt(_ place: OutputPlace) -> Bool {
    guard ImportJournal.exists(at: place), let shelf, let known = try? failedJournals(),
      let found = try? shelf.failedJournal(place, identity), found.identity.source != identity.source
    else { return false }
    journals = known + [found]
    return true
  }

  /// The rows whose import nobody knows here: it has a journal in another place, or on another machine.
  func unknown(_ origins: [RowOrigin]) async throws -> Int {
    var count = 0
    for origin in origins {
      guard let id = origin.journal, try journal(id) == nil, try await sharedFailures(of: id) == nil else { continue }
      count += 1
    }
    return count
  }

  /// The row with its name. A row that has its number and its reason only is one of the source beside which the file is.
  /// Elsewhere anybody could guess the two, and settle rows that were never added. Nil if it is not known.
  func resolve(_ origin: RowOrigin) async throws -> RowOrigin? {
    guard origin.journal == nil, let reason = origin.reason else { return origin }
    let all = try failedJournals()
    guard let journal = all.first(where: { $0.identity.source == sourceBeside }) else {
      return try await resolveShared(origin, reason)
    }
    guard let found = journal.reasons[origin.row] else {
      // It no longer counts as failed, unless a changed source has given the rows other numbers.
      return journal.ids.count == 1 ? journal.ids.first.map { RowOrigin(journal: $0, row: origin.row) } : nil
    }
    return found.reason == reason ? found.origin : nil
  }

  private func resolveShared(_ origin: RowOrigin, _ reason: String) async throws -> RowOrigin? {
    guard let shared else { return nil }
    if sharedBeside == nil {
      var own = identity
      own.source = sourceBeside ?? ""
      sharedBeside = .some(try await shared.find(own)?.id)
    }
    guard let id = sharedBeside ?? nil, let rows = try await sharedFailures(of: id) else { return nil }
    return rows[origin.row].map { $0 == reason } ?? true ? RowOrigin(journal: id, row: origin.row) : nil
  }

  /// The source whose failed rows are usually in this file.
  private var sourceBeside: String? {
    identity.source.ranges(of: ".failed.").last.map { String(identity.source[..<$0.lowerBound]) }
  }

  /// True if the row no longer counts as failed in its import. A row of an import that is not known is not settled.
  func isSettled(_ origin: RowOrigin) async throws -> Bool {
    guard let id = origin.journal else { return false }
    if let journal = try journal(id) { return journal.failed[origin] == nil }
    guard let rows = try await sharedFailures(of: id) else { return false }
    return rows[origin.row] == nil
  }

  /// Counts the rows as added in their imports. Returns sentences about that.
  func settle(_ origins: [RowOrigin]) async throws -> [String] {
    var sentences: [String] = []
    var others: [String: [Int]] = [:]
    var rows: [String: (journal: FailedJournal, rows: [Int])] = [:]
    for origin in origins {
      guard let id = origin.journal else { continue }
      if let journal = try journal(id) {
        if let row = journal.failed[origin] { rows[journal.file.path, default: (journal, [])].rows.append(row) }
      } else {
        others[id, default: []].append(origin.row)
      }
    }
    for (_, found) in rows.sorted(by: { $0.key < $1.key }) {
      let source = found.journal.identity.sourceName
      do throws(ImportError) {
        let journal = try await ImportJournal.open(found.journal.identity, file: found.journal.file)
        let count = try await journal.settleFailed(found.rows)
        await journal.close()
        sentences.append(Self.sentence(count, source))
      } catch {
        guard error.kind == .journalHeld else { throw error }
        sentences.append(
          "the import of \(source) is running, so that its failed rows are not settled: import this file again after it"
        )
      }
    }
    for (id, rows) in others.sorted(by: { $0.key < $1.key }) {
      guard let shared, try await sharedFailures(of: id) != nil, let found = try await shared.load(id) else { continue }
      let count = try await shared.settleFailed(id, rows)
      if count > 0 { sentences.append(Self.sentence(count, found.identity.sourceName)) }
    }
    return sentences
  }

  /// Closes the connection to the database.
  func close() async { await shared?.close() }

  private static func sentence(_ count: Int, _ source: String) -> String {
    "\(counted(count, "row")) that failed in the import of \(source) \(count == 1 ? "is" : "are") settled"
  }

  private func journal(_ id: String) throws -> FailedJournal? {
    try failedJournals().first { $0.ids.contains(id) }
  }

  private func failedJournals() throws -> [FailedJournal] {
    if let journals { return journals }
    let found = try shelf?.failedJournals(like: identity) ?? []
    journals = found
    return found
  }

  private func sharedFailures(of id: String) async throws -> [Int: String]? {
    guard let shared else { return nil }
    if let known = sharedRows[id] { return known }
    let found = try await shared.failedRows(of: id, like: identity)
    sharedRows[id] = .some(found)
    return found
  }
}
