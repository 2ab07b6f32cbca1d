import SQLite

/// What a journal says of itself: the one row of its table `journal`.
struct JournalRecord: Sendable {
  /// Random; begins the idempotency keys.
  var id: String
  var identity: ImportIdentity
  /// Unix seconds.
  var created: Int
  var updated: Int
  /// Nil while it has not been found out.
  var honorsIdempotencyKey: Bool?
  /// How many tasks there were before the import; nil while they have not been counted.
  var baselineTotal: Int?
  /// How many rows the source has; nil before its end was reached.
  var finishedRows: Int?

  /// Of a new journal.
  init(_ identity: ImportIdentity, now: Int) {
    id = Self.randomID()
    self.identity = identity
    created = now
    updated = now
  }

  /// Eighty random bits.
  static func randomID() -> String {
    let digits = Array("0123456789abcdefghijklmnopqrstuv")
    return String((0..<16).map { _ in digits[Int.random(in: 0..<32)] })
  }

  /// Reads the record and the counts; nil when there is none.
  static func read(_ database: Connection) throws(SQLiteError) -> (record: JournalRecord, counts: JournalCounts)? {
    guard let row = try database.first("SELECT * FROM journal") else { return nil }
    let text = { (name: String) in row[name].text ?? "" }
    let number = { (name: String) in row[name].integer.map { Int($0) } }
    var record = JournalRecord(
      ImportIdentity(
        source: text("source"), account: text("account"), accountName: text("account_name"), api: text("api")),
      now: number("created") ?? 0)
    record.id = text("id")
    record.updated = number("updated") ?? 0
    record.honorsIdempotencyKey = number("honors_key").map { $0 != 0 }
    record.baselineTotal = number("baseline_total")
    record.finishedRows = number("finished_rows")
    var counts = JournalCounts()
    for (name, state) in names { counts[state] = number(name) ?? 0 }
    return (record, counts)
  }

  func insert(_ database: Connection) throws(SQLiteError) {
    try database.execute(
      "INSERT INTO journal (id, source, account, account_name, api, created, updated) VALUES (?, ?, ?, ?, ?, ?, ?)",
      .text(id), .text(identity.source), .text(identity.account), .text(identity.accountName), .text(identity.api),
      .integer(Int64(created)), .integer(Int64(updated)))
  }

  func update(_ database: Connection, _ counts: JournalCounts) throws(SQLiteError) {
    let number = { (number: Int?) in SQLiteValue(number.map { Int64($0) }) }
    try database.execute(
      """
      UPDATE journal SET id = ?, source = ?, account_name = ?, created = ?, updated = ?, honors_key = ?, baseline_total = ?,
        finished_rows = ?, pending = ?, added = ?, skipped = ?, failed = ?, unsettled = ?, sent = ?
      """,
      .text(id), .text(identity.source), .text(identity.accountName), number(created), number(updated),
      number(honorsIdempotencyKey.map { $0 ? 1 : 0 }), number(baselineTotal), number(finishedRows),
      number(counts[.pending]), number(counts[.added]), number(counts[.skipped]), number(counts[.failed]),
      number(counts[.unsettled]), number(counts[.sent]))
  }

  private static let names: [(String, RowState)] = [
    ("pending", .pending), ("added", .added), ("skipped", .skipped), ("failed", .failed), ("unsettled", .unsettled),
    ("sent", .sent),
  ]
}
