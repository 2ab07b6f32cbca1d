import SQLite

/// Makes a journal of version 1 one of version 2: the hashes of its rows' contents stay as they are.
enum JournalUpgrade {
  private static let names = ["journal", "failures"]

  /// - Returns: the record as it is then. Throws `journal_damaged` where the rows are not those it counts.
  static func upgrade(
    _ database: Connection, _ record: JournalRecord, _ counts: JournalCounts
  ) throws -> JournalRecord {
    let found = try JournalCheck.contents(database)
    guard found.counts == counts else {
      throw ImportError.journalDamaged(database.path, "its rows are not those it counts")
    }
    var record = record
    record.digests = found.digests
    record.version = JournalSchema.lastWithoutLengths
    try database.transaction {
      // Tables that an interrupted run left may be of the old version.
      for name in JournalSchema.rowTableNames {
        try database.executeScript("DROP TABLE IF EXISTS \(JournalSchema.nextPrefix)\(name)")
      }
      try JournalSchema.makeNext(names, database)
      let columns = """
        id, source, account, account_name, api, created, updated, honors_key, baseline_total, finished_rows, pending, added,
        skipped, failed, unsettled, sent
        """
      try database.executeScript(
        "INSERT INTO \(JournalSchema.nextPrefix)journal (\(columns)) SELECT \(columns) FROM journal")
      var row = Int.min
      while let failure = try JournalFailures.first(after: row, in: database, database.path, version: 1) {
        row = failure.failure.row
        try failure.write(database, prefix: JournalSchema.nextPrefix)
      }
      try JournalSchema.putNext(names, database)
      try record.write(database, counts)
      try database.executeScript("PRAGMA user_version = \(record.version)")
    }
    return record
  }
}
