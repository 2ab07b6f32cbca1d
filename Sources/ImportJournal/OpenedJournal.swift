import Databases
import Glibc
import ImportEngine
import ImportFormats

/// A journal's database that was checked to be whole, with its record.
struct OpenedJournal {
  let database: SQLiteConnection
  private(set) var record: JournalRecord
  let counts: JournalCounts
  /// Nil for a journal in memory.
  private(set) var seal: JournalSeal?

  /// Opens the journal at that place, or makes it. The caller holds its lock. `now` is in Unix seconds.
  init(_ place: DatabasePlace, _ identity: ImportIdentity, id: String? = nil, now: Int) throws {
    let sealed = JournalSeal.read(place)
    guard try JournalSchema.checkHeader(of: place) else {
      // Such an empty file comes only from a first run that ended before its first commit.
      guard !sealed.isUsed, (place.status("-wal")?.st_size ?? 0) == 0 else {
        throw ImportError.journalDamaged(place.path, "its file is gone or empty, but not those beside it")
      }
      try self.init(making: Self.database(place), place, JournalRecord(identity, id: id, now: now))
      return
    }
    let database = try Self.database(place)
    guard let version = try JournalSchema.version(of: database) else {
      guard !sealed.isUsed else { throw ImportError.journalDamaged(place.path, Self.missingCommits) }
      try self.init(making: database, place, JournalRecord(identity, id: id, now: now))
      return
    }
    let (record, counts) = try JournalRecord.read(database, version: version)
    self.init(database, record, counts, nil)
    try self.record.adopt(identity, path: place.path)
    if let mark = try Self.check(record, version: version, sealed, place.path) {
      try verify()
      seal = try JournalSeal.open(place, mark)
      if version > JournalSchema.lastWithoutLengths { try addNames() }
    } else {
      // The seal first: a journal of a newer version without a seal is damaged.
      seal = try JournalSeal.make(place, journal: record.mark)
      try upgrade()
    }
  }

  private init(_ database: SQLiteConnection, _ record: JournalRecord, _ counts: JournalCounts, _ seal: JournalSeal?) {
    self.database = database
    self.record = record
    self.counts = counts
    self.seal = seal
  }

  private init(making database: SQLiteConnection, _ place: DatabasePlace, _ record: JournalRecord) throws {
    // The seal first: a journal without one is damaged.
    let seal = try JournalSeal.make(place, journal: record.mark)
    try JournalSchema.make(database, record)
    self.init(database, record, JournalCounts(), seal)
  }

  init(temporary identity: ImportIdentity, now: Int) throws {
    let record = JournalRecord(identity, now: now)
    let database = try SQLiteConnection.temporary()
    try JournalSchema.make(database, record)
    self.init(database, record, JournalCounts(), nil)
  }

  /// A copy in memory, of which large data go to a file without a name.
  init(copying other: OpenedJournal) throws {
    let database = try SQLiteConnection.temporary()
    try database.transaction {
      for table in try other.database.query("SELECT name, sql FROM sqlite_schema WHERE type = 'table'") {
        guard let name = table["name"].text, let sql = table["sql"].text else { continue }
        try database.executeScript(sql)
        var last = Int64.min
        while let row = try other.database.first(
          "SELECT rowid, * FROM \(name) WHERE rowid > ? ORDER BY rowid LIMIT 1", .integer(last))
        {
          last = row[0].integer ?? .max
          let values = Array(row.values.dropFirst())
          try database.execute(
            "INSERT INTO \(name) VALUES (\(values.map { _ in "?" }.joined(separator: ", ")))", values: values)
        }
      }
    }
    self.init(database, other.record, other.counts, nil)
  }

  private static func database(_ place: DatabasePlace) throws(SQLiteError) -> SQLiteConnection {
    let database = try SQLiteConnection(distrusting: place, isReadOnly: false)
    // The log is taken over at 16 MiB: each takeover waits for the disk.
    try database.executeScript("PRAGMA wal_autocheckpoint = 4000")
    return database
  }

  static let missingCommits = "the last of what was written to it is missing"

  /// Throws `journal_damaged` if the seal is not that of the record, or knows of more commits. Returns the seal's mark;
  /// nil for a journal of version 1, which has no seal.
  static func check(
    _ record: JournalRecord, version: Int, _ sealed: JournalSeal.Finding, _ path: String
  ) throws(ImportError) -> JournalSeal.Mark? {
    guard version > 1 else {
      // The journal was upgraded and written to, and the file is an older copy, or has lost its log since.
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

  /// More than the number of a chunk less the number of chunks before it: rows are journaled in their order, with few gaps.
  private static let widestGap = 4096

  /// Reads everything and compares it with the record. Throws `journal_damaged`.
  private func verify() throws {
    let found = try digestsOfCountedRows()
    guard found.rows == record.digests.rows else { throw damaged(Self.otherRows) }
    guard found == record.digests else { throw damaged("what it knows of the tasks there were has changed") }
    let failures = try database.first("SELECT count(*) FROM failures")?[0].integer ?? 0
    guard failures == Int64(counts[.failed] + counts[.unsettled]) else { throw damaged("rows that failed are missing") }
  }

  /// Makes a journal of version 1 one of version 2: the hashes of its rows' contents stay as they are. Throws
  /// `journal_damaged` if the rows are not those that the record counts.
  private mutating func upgrade() throws {
    record.digests = try digestsOfCountedRows()
    record.version = JournalSchema.lastWithoutLengths
    let names = ["journal", "failures"]
    try database.transaction {
      try JournalSchema.makeNext(names, database)
      var row = Int.min
      while let failure = try JournalFailures.first(after: row, in: database, database.path, version: 1) {
        row = failure.failure.row
        try failure.write(database, prefix: JournalSchema.nextPrefix)
      }
      try JournalSchema.putNext(names, database)
      try record.write(database, counts)
      try database.executeScript("PRAGMA user_version = \(record.version)")
    }
  }

  /// Makes a journal of version 3 one that keeps names and IDs of its further rows. Versions before need their number: it
  /// tells which hashes they have.
  private mutating func addNames() throws {
    guard record.version <= JournalSchema.lastWithoutNames else { return }
    try database.transaction {
      try JournalSchema.addNames(to: database, version: record.version)
      try database.executeScript("PRAGMA user_version = \(JournalSchema.version)")
    }
    record.version = JournalSchema.version
  }

  /// Reads the tables and returns the digests of their contents. Throws `journal_damaged` if the record counts other rows.
  private func digestsOfCountedRows() throws -> JournalDigests {
    var digests = JournalDigests()
    var found = JournalCounts()
    var stored = 0
    try JournalChunk.each(in: database, version: record.version) { chunk in
      stored += 1
      guard chunk.number < stored + Self.widestGap else { throw damaged("it has rows of impossible numbers") }
      digests.rows &+= chunk.stored.identity &+ chunk.stored.names &+ chunk.stored.outcomes
      for row in chunk.knownRows { found.move(from: nil, to: row.state) }
    }
    guard found == counts else { throw damaged(Self.otherRows) }
    var batch: Int64 = .min
    while let row = try database.first(
      "SELECT batch, hashes FROM baseline WHERE batch > ? ORDER BY batch LIMIT 1", .integer(batch))
    {
      batch = row[0].integer ?? .max
      digests.baseline &+= JournalDigests.hash(ofBatch: row[1].blob ?? [])
    }
    for row in try database.query("SELECT text_hash FROM lost") {
      digests.lost &+= JournalDigests.hash(ofLost: UInt64(bitPattern: row[0].integer ?? 0))
    }
    for row in try database.query("SELECT row, key FROM carried") {
      digests.carried &+= JournalDigests.hash(ofKey: row[1].text ?? "", row: Int(row[0].integer ?? 0))
    }
    return digests
  }

  private static let otherRows = "its rows are not those it counts"
  private func damaged(_ reason: String) -> ImportError { .journalDamaged(database.path, reason) }
}
