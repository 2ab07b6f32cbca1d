import Databases
package import JSON

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
    low, trouble, extract(epoch FROM created)::float8 AS created, extract(epoch FROM updated)::float8 AS updated, added, \
    skipped, failed, unsettled
    """

  /// Throws if the row is none that this program writes.
  init(_ read: RowReader) throws(DamagedRow) {
    id = try read.text("id")
    identity = ImportIdentity(
      source: try read.text("source"), account: try read.text("account"), accountName: try read.text("account_name"),
      api: try read.text("api"))
    place = try read.json("place")
    options = try read.json("options")
    honorsIdempotencyKey = try read.honorsKey()
    baselineTotal = try read.optionalCount("baseline_total")
    planned = try read.optionalCount("planned")
    rows = try read.optionalCount("rows")
    digest = try read.optionalDigest("digest")
    state = try read.importState()
    rate = try read.rowRate()
    low = try read.count("low")
    trouble = try read.optionalText("trouble")
    created = Int(try read.preciseTime("created"))
    updated = Int(try read.preciseTime("updated"))
    counts = try read.blockCounts()
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

  static func + (one: BlockCounts, other: BlockCounts) -> BlockCounts {
    var sum = one
    sum.added += other.added
    sum.skipped += other.skipped
    sum.failed += other.failed
    sum.unsettled += other.unsettled
    sum.unknown += other.unknown
    return sum
  }
}
