import Core
import Databases
import ImportEngine
import ImportFormats

/// The facts about a journal: the one row of its table `journal`.
struct JournalRecord: Sendable {
  var version = JournalSchema.version
  /// Random; begins the idempotency keys.
  var id: String
  var identity: ImportIdentity
  /// Unix seconds.
  var created: Int
  var updated: Int
  var honorsIdempotencyKey: Bool?
  /// The number of tasks before the import; nil while they have not been counted.
  var baselineTotal: Int?
  /// The number of the source's rows; nil before its end was reached.
  var finishedRows: Int?
  /// Random, the same as in the journal's seal.
  var mark: Int
  /// The number of commits.
  var generation = 0
  var digests = JournalDigests()

  /// - Parameter id: nil for a random one.
  init(_ identity: ImportIdentity, id: String? = nil, now: Int) {
    self.id = id ?? ImportID.random()
    self.identity = identity
    created = now
    updated = now
    var generator = RunRandom()
    mark = Int.random(in: 1...Int.max, using: &generator)
  }

  /// The reason of `journal_damaged` if there is no record, or if it has changed since it was written.
  static let unreadable = "what it says of itself cannot be read"

  /// Reads the record and the counts of a journal of that version. Throws `journal_damaged`.
  static func read(_ database: SQLiteConnection, version: Int) throws -> (record: JournalRecord, counts: JournalCounts)
  {
    let damaged = ImportError.journalDamaged(database.path, unreadable)
    guard let row = try database.first("SELECT * FROM journal") else { throw damaged }
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
    for (name, state) in states { counts[state] = number(name) ?? 0 }
    let numbers = states.map { counts[$0.1] } + [record.created, record.updated]
    let others = [record.baselineTotal, record.finishedRows].compactMap(\.self)
    guard (numbers + others).allSatisfy((0...largest).contains) else { throw damaged }
    guard version > 1 else { return (record, counts) }
    record.mark = number("mark") ?? 0
    record.generation = number("generation") ?? 0
    let digest = { (name: String) in UInt64(bitPattern: row[name].integer ?? 0) }
    record.digests = JournalDigests(
      rows: digest("rows_digest"), baseline: digest("baseline_digest"), lost: digest("lost_digest"),
      carried: digest("carried_digest"))
    guard row["digest"].integer == JournalDigests.hash(record.columns(counts).map(\.value)),
      (1...Int.max).contains(record.mark), (0...largest).contains(record.generation)
    else { throw damaged }
    return (record, counts)
  }

  private static let largest = 1 << 48

  private static let states: [(String, RowState)] = [
    ("pending", .pending), ("added", .added), ("skipped", .skipped), ("failed", .failed), ("unsettled", .unsettled),
    ("sent", .sent),
  ]

  func write(_ database: SQLiteConnection, _ counts: JournalCounts) throws(SQLiteError) {
    let columns = columns(counts)
    let names = columns.map(\.name).joined(separator: ", ")
    let marks = columns.map { _ in "?, " }.joined()
    try database.execute(
      "INSERT OR REPLACE INTO journal (rowid, \(names), digest) VALUES (1, \(marks)?)",
      values: columns.map(\.value) + [.integer(JournalDigests.hash(columns.map(\.value)))])
  }

  /// All columns but `digest`, in the order of the digest.
  private func columns(_ counts: JournalCounts) -> [(name: String, value: SQLValue)] {
    let number = { (number: Int?) in SQLValue(number.map { Int64($0) }) }
    let sum = { (sum: UInt64) in SQLValue.integer(Int64(bitPattern: sum)) }
    return [
      ("id", .text(id)), ("source", .text(identity.source)), ("account", .text(identity.account)),
      ("account_name", .text(identity.accountName)), ("api", .text(identity.api)), ("created", number(created)),
      ("updated", number(updated)), ("honors_key", number(honorsIdempotencyKey.map { $0 ? 1 : 0 })),
      ("baseline_total", number(baselineTotal)), ("finished_rows", number(finishedRows)), ("mark", number(mark)),
      ("generation", number(generation)),
    ] + Self.states.map { ($0, number(counts[$1])) } + [
      ("rows_digest", sum(digests.rows)), ("baseline_digest", sum(digests.baseline)),
      ("lost_digest", sum(digests.lost)), ("carried_digest", sum(digests.carried)),
    ]
  }

  /// Takes the names of the new run. Throws `journal_mismatch` for another account or API.
  mutating func adopt(_ new: ImportIdentity, path: String) throws(ImportError) {
    guard identity.account == new.account, identity.api == new.api else {
      let what = identity.api == new.api ? "account \(identity.accountName)" : "API \(identity.api)"
      throw ImportError(
        kind: .journalMismatch,
        message: "the journal \(path) is that of an import of \(identity.sourceName) for the \(what)",
        hint: "give this import a separate file with --journal", details: ["path": path])
    }
    identity = new
  }
}
