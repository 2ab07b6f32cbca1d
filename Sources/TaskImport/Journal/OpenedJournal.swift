import Glibc
import SQLite

/// A journal's database, known to be whole, with what it says of itself.
struct OpenedJournal {
  let database: Connection
  let record: JournalRecord
  let counts: JournalCounts
  /// Nil for a journal in memory.
  let seal: JournalSeal?

  /// Opens the journal at that place, or makes it. The place's lock is held.
  /// - Parameter now: Unix seconds.
  init(_ place: DatabasePlace, _ identity: ImportIdentity, now: Int) throws {
    let sealed = JournalSeal.read(place)
    guard try JournalSchema.checkHeader(of: place) else {
      // Only the end of the first run before its first commit leaves such an empty file.
      guard !sealed.isUsed, (place.status("-wal")?.st_size ?? 0) == 0 else {
        throw ImportError.journalDamaged(place.path, "its file is gone or empty, but not those beside it")
      }
      try self.init(making: Self.database(place), place, identity, now)
      return
    }
    let database = try Self.database(place)
    switch try JournalSchema.content(database) {
    case .nothing:
      guard !sealed.isUsed else { throw ImportError.journalDamaged(place.path, Self.missingCommits) }
      try self.init(making: database, place, identity, now)
    case .journal(let version):
      guard let found = try JournalRecord.read(database, version: version) else {
        throw ImportError.journalDamaged(place.path, "what it says of itself cannot be read")
      }
      var record = found.record
      let counts = found.counts
      try record.adopt(identity, path: place.path)
      let seal: JournalSeal
      if let mark = try Self.check(record, version: version, sealed, place.path) {
        try JournalCheck.verify(database, record, counts)
        seal = try JournalSeal.open(place, mark)
      } else {
        // The seal first: a journal of this version without one is damaged.
        seal = try JournalSeal.make(place, journal: record.mark)
        record = try JournalUpgrade.upgrade(database, record, counts)
      }
      self.init(database, record, counts, seal)
    }
  }

  private init(_ database: Connection, _ record: JournalRecord, _ counts: JournalCounts, _ seal: JournalSeal?) {
    self.database = database
    self.record = record
    self.counts = counts
    self.seal = seal
  }

  private init(making database: Connection, _ place: DatabasePlace, _ identity: ImportIdentity, _ now: Int) throws {
    let record = JournalRecord(identity, now: now)
    // The seal first: a journal without one is damaged.
    let seal = try JournalSeal.make(place, journal: record.mark)
    try JournalSchema.make(database, record)
    self.init(database, record, JournalCounts(), seal)
  }

  /// A journal that is gone with the process.
  init(temporary identity: ImportIdentity, now: Int) throws {
    let record = JournalRecord(identity, now: now)
    let database = try Connection.temporary()
    try JournalSchema.make(database, record)
    self.init(database, record, JournalCounts(), nil)
  }

  private static func database(_ place: DatabasePlace) throws(SQLiteError) -> Connection {
    let database = try Connection(distrusting: place, isReadOnly: false)
    // A log of 16 MiB is taken over at a time: each takeover waits for the disk.
    try database.executeScript("PRAGMA wal_autocheckpoint = 4000")
    return database
  }

  static let missingCommits = "the last of what was written to it is missing"

  /// Throws `journal_damaged` where the seal is not that of the record, or knows of more commits.
  /// - Returns: the seal's mark; nil for a journal of version 1, which has none.
  static func check(
    _ record: JournalRecord, version: Int, _ sealed: JournalSeal.Finding, _ path: String
  ) throws(ImportError) -> JournalSeal.Mark? {
    guard version > 1 else {
      // The journal was upgraded and written to, and the file is a copy from before, or has lost its log since.
      guard !sealed.isUsed else { throw .journalDamaged(path, missingCommits) }
      return nil
    }
    switch sealed {
    case .nothing: throw .journalDamaged(path, "the file \(path)\(JournalSeal.ending) is gone")
    case .damaged: throw .journalDamaged(path, "the file \(path)\(JournalSeal.ending) cannot be read")
    case .mark(let mark):
      guard mark.journal == record.mark else {
        throw .journalDamaged(path, "the file \(path)\(JournalSeal.ending) is that of another journal")
      }
      guard mark.generation <= record.generation else { throw .journalDamaged(path, missingCommits) }
      return mark
    }
  }
}

extension JournalSeal.Finding {
  /// True if a journal was written to.
  fileprivate var isUsed: Bool {
    switch self {
    case .nothing: false
    case .damaged: true
    case .mark(let mark): mark.generation > 0
    }
  }
}

extension JournalRecord {
  /// Takes the names of the run that begins. Throws `journal_mismatch` when it is about another account or API.
  mutating func adopt(_ new: ImportIdentity, path: String) throws(ImportError) {
    guard identity.account == new.account, identity.api == new.api else {
      let what = identity.api == new.api ? "account \(identity.accountName)" : "API \(identity.api)"
      throw ImportError(
        kind: .journalMismatch,
        message: "the journal \(path) is that of an import of \(identity.sourceName) for the \(what)",
        hint: "give this import a file of its own with --journal", details: ["path": path])
    }
    identity = new
  }
}
