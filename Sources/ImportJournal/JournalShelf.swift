import Core
import Databases
package import Files
import Glibc
package import ImportEngine
package import ImportFormats

/// The journals in a folder, to look at and to forget. Looking changes no journal, also during an import.
package struct JournalShelf: Sendable {
  package let folder: String
  /// Unix seconds.
  private let now: @Sendable () -> Int

  package init(folder: String, now: @escaping @Sendable () -> Int = { time(nil) }) {
    self.folder = folder
    self.now = now
  }

  /// All journals, last written first, also unreadable ones, with the reason. A missing folder holds none.
  package func list() throws(ImportError) -> [JournalSummary] {
    try names().map { summary(file: OutputPlace("\(folder)/\($0)")) }.sorted {
      ($1.updated, $0.shortID ?? "") < ($0.updated, $1.shortID ?? "")
    }
  }

  /// One journal, by its ID or its beginning, its source or its file. Throws `journal_unknown` for none or several.
  /// - Parameters:
  ///   - known: the journals to search; nil for all of the folder.
  ///   - file: the resolved and checked file of that name; only this file is opened. Without it, the name may be the
  ///     path of any journal, unless `known` is given.
  package func summary(
    _ name: String, among known: [JournalSummary]? = nil, file: OutputPlace? = nil
  ) throws(ImportError) -> JournalSummary {
    let all = if let known { known } else { try list() }
    let byID = name.isEmpty ? [] : all.filter { $0.stem.hasPrefix(name.lowercased()) }
    if byID.count == 1 { return byID[0] }
    if byID.count > 1 { throw Self.ambiguous("there are \(byID.count) journals whose ID begins with \(name)", byID) }
    let source = FileSystem.realPath(name)
    for isSame in [{ $0.source == name || $0.source == source }, { $0.sourceName == name }]
      as [(ImportIdentity) -> Bool]
    {
      let found = all.filter { $0.identity.map(isSame) ?? false }
      if found.count == 1 { return found[0] }
      if found.count > 1 { throw Self.ambiguous("there are \(found.count) journals of imports of \(name)", found) }
    }
    if let found = all.first(where: { $0.path == name }) { return found }
    if let file = file ?? (known == nil ? OutputPlace(name) : nil), name.contains("/"),
      (try? JournalFiles.place(file))?.status() != nil
    {
      let found = summary(file: file)
      if found.trouble?.code != ImportError.Kind.journalForeign.rawValue { return found }
    }
    throw unknown(name, all)
  }

  /// The rows that failed or are unsettled in a journal.
  package func failures(of journal: JournalSummary) throws(ImportError) -> JournalFailures {
    let (database, version) = try opened(journal)
    return JournalFailures { row throws(ImportError) in
      do { return try JournalFailures.first(after: row, in: database, database.path, version: version) } catch {
        throw .journal(error, database.path)
      }
    }
  }

  /// Opens a journal to read it.
  func opened(_ journal: JournalSummary) throws(ImportError) -> (database: SQLiteConnection, version: Int) {
    guard let path = journal.path else { throw unknown("", []) }
    let file = journal.place ?? OutputPlace(path)
    // Throws the reason why it cannot be read.
    if journal.trouble != nil { _ = try readSummary(file) }
    let place = try JournalFiles.place(file)
    do {
      let database = try SQLiteConnection(distrusting: place, isReadOnly: true)
      guard let version = try JournalSchema.version(of: database) else {
        throw ImportError.journalDamaged(path, "it is empty")
      }
      return (database, version)
    } catch { throw .journal(error, path) }
  }

  /// Removes a journal: its source is then imported as a new one. Returns the journal as it was. Throws `journal_held`
  /// during an import, `journal_foreign` for a file that is no journal.
  @discardableResult
  package func forget(_ found: JournalSummary) throws(ImportError) -> JournalSummary {
    guard let path = found.path else { throw unknown("", []) }
    if found.trouble?.code == ImportError.Kind.journalForeign.rawValue { throw .journalForeign(path) }
    let place = try JournalFiles.place(found.place ?? OutputPlace(path))
    switch try JournalLock.take(place, now: now()) {
    case .held(let holder): throw .journalHeld(path, found.identity?.sourceName ?? path, by: holder, now: now())
    case .taken(let lock):
      defer { lock.release() }
      for ending in JournalFiles.endings where !place.remove(ending) && errno != ENOENT {
        throw .journalUnusable(
          "the journal's file \(path)\(ending) cannot be removed: \(String(cString: strerror(errno)))",
          hint: "check who owns its folder", path: path)
      }
      return found
    }
  }

  func names() throws(ImportError) -> [String] {
    do throws(FileFailure) {
      return try FileSystem.names(in: folder).filter { $0.hasSuffix(JournalFiles.suffix) }
    } catch {
      if error.number == ENOENT { return [] }
      throw .journalUnusable(
        "the folder \(folder) for journals of imports cannot be read: \(error.reason)", hint: "check who owns it",
        path: folder)
    }
  }

  /// The journal in a file, also an unreadable one, with the reason. The summary keeps the place, to open it again later.
  package func summary(file: OutputPlace) -> JournalSummary {
    var summary: JournalSummary
    do throws(ImportError) { summary = try readSummary(file) } catch {
      let time = (try? JournalFiles.place(file))?.status().map { Int($0.st_mtim.tv_sec) } ?? 0
      summary = JournalSummary(
        shortID: JournalSummary.shortID(file.path), path: file.path, created: time, updated: time)
      summary.trouble = JournalSummary.Trouble(message: error.message, code: error.code)
    }
    summary.place = file
    return summary
  }

  private func readSummary(_ file: OutputPlace) throws(ImportError) -> JournalSummary {
    let place = try JournalFiles.place(file)
    var attempt = 1
    while true {
      let holder = JournalLock.holder(place)
      do throws(ImportError) { return try readSummary(place, holder) } catch {
        // It may have been written while it was read.
        guard error.kind == .journalDamaged, holder != nil, attempt < Self.mostAttempts else { throw error }
        attempt += 1
      }
    }
  }

  private static let mostAttempts = 20

  private func readSummary(_ place: DatabasePlace, _ holder: JournalHolder?) throws(ImportError) -> JournalSummary {
    let path = place.path
    guard try JournalSchema.checkHeader(of: place) else { throw .journalDamaged(path, "it is empty") }
    do {
      // The seal first: an import may be writing to both.
      let sealed = JournalSeal.read(place)
      let database = try SQLiteConnection(distrusting: place, isReadOnly: true)
      guard let version = try JournalSchema.version(of: database) else {
        throw ImportError.journalDamaged(path, JournalRecord.unreadable)
      }
      let (record, counts) = try JournalRecord.read(database, version: version)
      _ = try OpenedJournal.check(record, version: version, sealed, path)
      return JournalSummary(path: path, record: record, counts: counts, holder)
    } catch { throw .journal(error, path) }
  }

  private func unknown(_ name: String, _ all: [JournalSummary]) -> ImportError {
    let known =
      all.compactMap(\.shortID) + all.compactMap { $0.identity?.source } + all.compactMap { $0.identity?.sourceName }
    let near = nearestName(to: name, in: known).map { "did you mean \($0)? " } ?? ""
    return ImportError(
      kind: .journalUnknown, message: "there is no journal of an import by the name of \(name)",
      hint: "\(near)`b2c-run imports list` shows those there are")
  }

  private static func ambiguous(_ what: String, _ found: [JournalSummary]) -> ImportError {
    let list = found.map { journal in
      journal.stem.prefix(12) + (journal.identity.map { " (\($0.sourceName) for \($0.accountName))" } ?? "")
    }
    return ImportError(
      kind: .journalUnknown, message: "\(what): \(list.joined(separator: ", "))", hint: "give more of the ID")
  }
}
