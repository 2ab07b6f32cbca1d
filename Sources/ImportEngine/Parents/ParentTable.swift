import Core
import Databases
import HostLoop
import ImportFormats
import JSON
import TaskAPI

/// The names that a source has for its rows, and the rows that wait for their parents, in a temporary database. Its memory is
/// bounded, however many rows there are.
@HostActor
final class ParentTable {
  private let database: SQLiteConnection
  private var place: Int64 = 0

  /// A waiting row, with the reason why it gets no parent; nil if it may get one.
  struct Waiting {
    let row: QueuedRow
    let circle: String?
    /// True for a row of an earlier run, which has not been compared with the tasks of the server.
    let isResumed: Bool
  }

  init() throws(SQLiteError) {
    database = try .temporary()
    // One transaction until the database is gone: its end costs time for each page in memory, and here it would come with each row.
    // Nothing is ever rolled back.
    try database.executeScript(
      """
      PRAGMA cache_size = -8192; PRAGMA journal_mode = OFF; BEGIN;
      CREATE TABLE named (name PRIMARY KEY NOT NULL, row INTEGER NOT NULL, is_task INTEGER NOT NULL) WITHOUT ROWID;
      CREATE TABLE waiting (
        row INTEGER PRIMARY KEY, line INTEGER, fingerprint INTEGER NOT NULL, original TEXT, text TEXT NOT NULL,
        fields TEXT NOT NULL, unread TEXT NOT NULL, source_id TEXT, parent_name TEXT NOT NULL, name NOT NULL,
        is_resumed INTEGER NOT NULL, parent INTEGER, circle TEXT
      );
      CREATE TABLE sequence (place INTEGER PRIMARY KEY, row INTEGER NOT NULL UNIQUE);
      """)
  }

  /// Notes the name of a row, and whether a task is made of it. Returns the number of another row that has the name already.
  func name(_ name: String, _ row: Int, isTask: Bool) throws(SQLiteError) -> Int? {
    let key = Self.key(name)
    try database.execute(
      "INSERT OR IGNORE INTO named VALUES (?, ?, ?)", key, .integer(Int64(row)), .integer(isTask ? 1 : 0))
    guard database.changes == 0 else { return nil }
    let other = try database.first("SELECT row FROM named WHERE name = ?", key)?[0].integer.map { Int($0) }
    return other == row ? nil : other
  }

  /// The row with that name; nil if none has had it so far.
  func row(named name: String) throws(SQLiteError) -> (number: Int, isTask: Bool)? {
    let found = try database.first("SELECT row, is_task FROM named WHERE name = ?", Self.key(name))
    return found.flatMap { row in row[0].integer.map { (Int($0), row[1].integer == 1) } }
  }

  /// A number takes less room than its text, and sources count their tasks, so that one key follows the other.
  private static func key(_ name: String) -> SQLValue {
    if let number = Int64(name), String(number) == name { .integer(number) } else { .text(name) }
  }

  // MARK: Rows that wait

  /// Keeps a row that names its parent.
  func add(_ row: QueuedRow, isResumed: Bool) throws(SQLiteError) {
    guard let parent = row.parent.name else { return }
    let unread = row.draft.unread.mapValues { JSON.string($0) }
    try database.execute(
      "INSERT OR REPLACE INTO waiting VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, NULL)",
      .integer(Int64(row.number)),
      .init(row.record.line.map { Int64($0) }), .integer(Int64(bitPattern: row.record.fingerprint)),
      .init(row.record.original?.encoded()), .text(row.draft.text), .text(JSON.object(row.draft.fields).encoded()),
      .text(JSON.object(unread).encoded()), .init(row.draft.sourceID), .text(parent), Self.key(parent),
      .integer(isResumed ? 1 : 0))
  }

  /// Brings the waiting rows into an order in which parents come before their children, and as in the source apart from that.
  /// Called once, when all rows have their names.
  func order() throws(SQLiteError) {
    try database.executeScript(
      """
      UPDATE waiting SET parent = (SELECT row FROM named WHERE named.name = waiting.name);
      CREATE INDEX waiting_parent ON waiting (parent);
      """)
    try follow(
      from: "SELECT row FROM waiting AS child WHERE NOT EXISTS (SELECT 1 FROM waiting WHERE row = child.parent)")
    var last: Int64 = 0
    // The other rows are circles, and rows below them.
    while let found = try database.first(
      "SELECT row FROM waiting WHERE row > ? AND row NOT IN (SELECT row FROM sequence) ORDER BY row LIMIT 1",
      .integer(last))
    {
      last = found[0].integer ?? .max
      let circle = try circle(from: last)
      try database.execute(
        "UPDATE waiting SET circle = ? WHERE row = ?", .text(circle.words), .integer(circle.first))
      try follow(from: "SELECT \(circle.first)")
    }
  }

  /// Puts those rows and all below them into the sequence, each behind its parent.
  private func follow(from rows: String) throws(SQLiteError) {
    try database.executeScript(
      """
      INSERT OR IGNORE INTO sequence (row) WITH RECURSIVE family (row) AS (
        \(rows) UNION ALL
        SELECT waiting.row FROM family JOIN waiting ON waiting.parent = family.row AND waiting.circle IS NULL ORDER BY 1
      ) SELECT row FROM family
      """)
  }

  private func parent(_ row: Int64) throws(SQLiteError) -> Int64 {
    try database.first("SELECT parent FROM waiting WHERE row = ?", .integer(row))?[0].integer ?? 0
  }

  /// Follows parents into the circle that they end in (Brent's way, which remembers one row). Returns its first row, and the
  /// circle in words.
  private func circle(from row: Int64) throws(SQLiteError) -> (first: Int64, words: String) {
    var (slow, fast, power, count) = (row, try parent(row), 1, 1)
    while slow != fast {
      if count == power { (slow, power, count) = (fast, power * 2, 0) }
      fast = try parent(fast)
      count += 1
    }
    var first = fast
    for _ in 0..<count {
      fast = try parent(fast)
      first = min(first, fast)
    }
    var rows = [Int(first)]
    while rows.count < min(count, Self.mostNamed) { rows.append(Int(try parent(Int64(rows[rows.count - 1])))) }
    return (first, Self.words(rows, more: count - rows.count))
  }

  /// The rows of a circle that a message names.
  private static let mostNamed = 6

  /// A circle of parents in words: its rows, each before its parent, beginning with the first.
  static func words(_ rows: [Int], more: Int = 0) -> String {
    if rows.count == 1 { return "the row names itself as its parent" }
    let names = rows.map { "row \($0)" } + (more > 0 ? ["\(more) more"] : [])
    return "the parents go in a circle: \(names.joined(separator: ", ")), and row \(rows[0]) again"
  }

  /// The next waiting rows of the order, and no more of them afterwards.
  func next(_ most: Int) throws -> [Waiting] {
    try database.query(
      """
      SELECT place, waiting.* FROM sequence JOIN waiting USING (row) WHERE place > ? ORDER BY place LIMIT ?
      """, .integer(place), .integer(Int64(most))
    ).map { found in
      place = found["place"].integer ?? .max
      return try Self.waiting(found)
    }
  }

  private static func waiting(_ found: Row) throws -> Waiting {
    let record = SourceRecord(
      number: Int(found["row"].integer ?? 0), line: found["line"].integer.map { Int($0) },
      content: found["original"].text.map { .encoded($0) } ?? .opaque,
      fingerprint: UInt64(bitPattern: found["fingerprint"].integer ?? 0))
    var draft = TaskDraft(
      text: found["text"].text ?? "", fields: try JSON(parsing: found["fields"].text ?? "").object ?? [:])
    draft.unread = (try JSON(parsing: found["unread"].text ?? "").object ?? [:]).compactMapValues(\.string)
    draft.sourceID = found["source_id"].text
    let row = QueuedRow(record, draft)
    row.parent.name = found["parent_name"].text
    return Waiting(row: row, circle: found["circle"].text, isResumed: found["is_resumed"].integer == 1)
  }
}
