package import JSON
import SQL

/// An import that several machines share, as the database has it.
package struct SharedImport: Sendable {
  package enum State: String, Sendable {
    case open
    case done
    /// A block failed too often, or an error ended it. The next `import` goes on.
    case stopped
  }

  /// Random; begins the idempotency keys, on all machines.
  package var id: String
  package var identity: ImportIdentity
  /// The account or the task service, and how to find it on another machine: `account`, `service`.
  package var place: JSON
  /// The options of the import that all machines follow.
  package var options: JSON
  package var honorsIdempotencyKey: Bool?
  package var baselineTotal: Int?
  /// The number of blocks; nil before the source was read to its end.
  package var planned: Int?
  /// The number of rows, and the digest of all of them; nil before the source was read to its end for the first time. While
  /// `planned` is nil, they are those of an earlier end.
  package var rows: Int?
  var digest: UInt64?
  package var state: State
  package var rate: Double?
  var low: Int
  /// Why it stopped.
  package var trouble: String?
  /// Unix seconds.
  package var created: Int
  package var updated: Int
  package var counts: BlockCounts
  /// True if other machines worked on it when this one came: their options hold.
  package var isJoined = false

  static let columns = """
    id, source, account, account_name, api, place, options, honors_key, baseline_total, planned, rows, digest, state, rate, \
    low, trouble, floor(extract(epoch FROM created))::bigint AS created, floor(extract(epoch FROM updated))::bigint AS updated, added, \
    skipped, failed, unsettled
    """

  init(_ row: Row) {
    func text(_ column: String) -> String { row[column].text ?? "" }
    func number(_ column: String) -> Int? { row[column].integer.map { Int($0) } }
    func json(_ column: String) -> JSON { (try? JSON(parsing: text(column))) ?? [:] }
    id = text("id")
    identity = ImportIdentity(
      source: text("source"), account: text("account"), accountName: text("account_name"), api: text("api"))
    place = json("place")
    options = json("options")
    honorsIdempotencyKey = number("honors_key").map { $0 == 1 }
    baselineTotal = number("baseline_total")
    planned = number("planned")
    rows = row["rows"].integer.map { _ in row["rows"].rowCount }
    digest = row["digest"].integer.map { UInt64(bitPattern: $0) }
    state = State(rawValue: text("state")) ?? .open
    rate = row["rate"].real
    low = number("low") ?? 0
    trouble = row["trouble"].text
    created = number("created") ?? 0
    updated = number("updated") ?? 0
    counts = BlockCounts()
    counts.added = row["added"].rowCount
    counts.skipped = row["skipped"].rowCount
    counts.failed = row["failed"].rowCount
    counts.unsettled = row["unsettled"].rowCount
  }
}

/// The numbers of rows by their outcomes.
package struct BlockCounts: Sendable, Equatable {
  package var added = 0
  package var skipped = 0
  package var failed = 0
  package var unsettled = 0
  /// Sent, and to be found out later.
  package var unknown = 0

  init() {}

  var settled: Int { added + skipped + failed + unsettled }
}
