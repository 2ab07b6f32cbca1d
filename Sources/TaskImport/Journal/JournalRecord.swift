import SQLite

/// What a journal says of itself: the one row of its table `journal`.
struct JournalRecord: Sendable {
  /// The version of the journal.
  var version = JournalSchema.version
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
  /// Random, as in the journal's seal.
  var mark: Int
  /// How many commits there were.
  var generation = 0
  var digests = JournalDigests()

  /// Of a new journal.
  init(_ identity: ImportIdentity, now: Int) {
    id = Self.randomID()
    self.identity = identity
    created = now
    updated = now
    mark = Int.random(in: 1...Int.max)
  }

  /// Eighty random bits.
  static func randomID() -> String {
    let digits = Array("0123456789abcdefghijklmnopqrstuv")
    return String((0..<16).map { _ in digits[Int.random(in: 0..<32)] })
  }

  /// Reads the record and the counts; nil when there is none, or not what was written.
  /// - Parameter version: of the journal.
  static func read(
    _ database: Connection, version: Int = JournalSchema.version
  ) throws(SQLiteError) -> (record: JournalRecord, counts: JournalCounts)? {
    guard let row = try database.first("SELECT * FROM journal") else { return nil }
    let text = { (name: String) in row[name].text ?? "" }
    let number = { (name: String) in row[name].integer.map { Int($0) } }
    var record = JournalRecord(
      ImportIdentity(
        source: text("source"), account: text("account"), accountName: text("account_name"), api: text("api")),
      now: number("created") ?? 0)
    record.version = version
    record.id = text("id")
    record.updated = number("updated") ?? 0
    record.honorsIdempotencyKey = number("honors_key").map { $0 != 0 }
    record.baselineTotal = number("baseline_total")
    record.finishedRows = number("finished_rows")
    var counts = JournalCounts()
    for (name, state) in names { counts[state] = number(name) ?? 0 }
    let numbers = names.map { counts[$0.1] } + [record.created, record.updated]
    let others = [record.baselineTotal, record.finishedRows].compactMap(\.self)
    guard (numbers + others).allSatisfy((0...largest).contains) else { return nil }
    guard version > 1 else { return (record, counts) }
    record.mark = number("mark") ?? 0
    record.generation = number("generation") ?? 0
    let digest = { (name: String) in UInt64(bitPattern: row[name].integer ?? 0) }
    record.digests = JournalDigests(
      rows: digest("rows_digest"), baseline: digest("baseline_digest"), lost: digest("lost_digest"),
      carried: digest("carried_digest"))
    guard row["digest"].integer == record.digest(counts), (1...Int.max).contains(record.mark),
      (0...largest).contains(record.generation)
    else { return nil }
    return (record, counts)
  }

  /// Larger than any count or time.
  private static let largest = 1 << 48

  /// Tells the record from any other.
  private func digest(_ counts: JournalCounts) -> Int64 {
    var hash = RecordHash()
    for text in [id, identity.source, identity.account, identity.accountName, identity.api] { hash.add(text) }
    let numbers = [
      created, updated, honorsIdempotencyKey.map { $0 ? 1 : 0 }, baselineTotal, finishedRows, mark, generation,
    ]
    for number in numbers { hash.add(number) }
    for (_, state) in Self.names { hash.add(counts[state]) }
    for sum in [digests.rows, digests.baseline, digests.lost, digests.carried] { hash.add(Int(bitPattern: UInt(sum))) }
    return hash.value
  }

  func insert(_ database: Connection) throws(SQLiteError) {
    try database.execute(
      """
      INSERT INTO journal (id, source, account, account_name, api, created, updated, mark)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      """,
      .text(id), .text(identity.source), .text(identity.account), .text(identity.accountName), .text(identity.api),
      .integer(Int64(created)), .integer(Int64(updated)), .integer(Int64(mark)))
    try update(database, JournalCounts())
  }

  func update(_ database: Connection, _ counts: JournalCounts) throws(SQLiteError) {
    let number = { (number: Int?) in SQLiteValue(number.map { Int64($0) }) }
    let sum = { (sum: UInt64) in SQLiteValue.integer(Int64(bitPattern: sum)) }
    try database.execute(
      """
      UPDATE journal SET id = ?, source = ?, account_name = ?, created = ?, updated = ?, honors_key = ?, baseline_total = ?,
        finished_rows = ?, pending = ?, added = ?, skipped = ?, failed = ?, unsettled = ?, sent = ?, mark = ?,
        generation = ?, rows_digest = ?, baseline_digest = ?, lost_digest = ?, carried_digest = ?, digest = ?
      """,
      .text(id), .text(identity.source), .text(identity.accountName), number(created), number(updated),
      number(honorsIdempotencyKey.map { $0 ? 1 : 0 }), number(baselineTotal), number(finishedRows),
      number(counts[.pending]), number(counts[.added]), number(counts[.skipped]), number(counts[.failed]),
      number(counts[.unsettled]), number(counts[.sent]), number(mark), number(generation), sum(digests.rows),
      sum(digests.baseline), sum(digests.lost), sum(digests.carried), .integer(digest(counts)))
  }

  private static let names: [(String, RowState)] = [
    ("pending", .pending), ("added", .added), ("skipped", .skipped), ("failed", .failed), ("unsettled", .unsettled),
    ("sent", .sent),
  ]
}
