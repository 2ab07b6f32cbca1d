import Databases
package import ImportEngine
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
  let server: Server
  var plan: Plan
  package var state: State
  package var rate: Double?
  /// Why it stopped.
  package var trouble: String?
  /// Unix seconds.
  package let times: (created: Int, updated: Int)
  package var counts: RowCounts
  /// True if other machines worked on it when this one came: their options hold.
  package var isJoined = false

  /// The known facts about the server.
  struct Server: Sendable {
    /// True if the API honors `Idempotency-Key`; nil while that is not known.
    let honorsKey: Bool?
    /// The number of tasks before the import; nil while they have not been counted.
    let baselineTotal: Int?
  }

  /// The rows of the source, as a planner has read them.
  struct Plan: Sendable {
    /// The number of blocks; nil before the source was read to its end.
    let blocks: Int?
    /// The number of rows, and the digest of all of them; nil before the source was read to its end for the first time.
    /// While `blocks` is nil, they are those of an earlier end.
    let rows: Int?
    let digest: UInt64?
    /// All blocks before this number are done.
    let low: Int
  }

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
    server = Server(honorsKey: try read.honorsKey(), baselineTotal: try read.optionalCount("baseline_total"))
    plan = Plan(
      blocks: try read.optionalCount("planned"), rows: try read.optionalCount("rows"),
      digest: try read.optionalDigest("digest"), low: try read.count("low"))
    state = try read.importState()
    rate = try read.rowRate()
    trouble = try read.optionalText("trouble")
    times = (Int(try read.preciseTime("created")), Int(try read.preciseTime("updated")))
    counts = try read.blockCounts()
  }
}
