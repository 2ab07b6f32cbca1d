import Databases
import ImportEngine
import ImportFormats

/// The columns of shared imports. A value that no machine of this program writes is an error: a fate that is read wrongly
/// would send a row twice, or never.
extension RowReader {
  /// The number of rows, of blocks or of claims. Sums of some of them do not overflow.
  private static let rowCounts: ClosedRange<Int64> = 0...(1 << 53)

  /// Nil for a null.
  func optionalCount(_ column: String) throws(DamagedRow) -> Int? {
    try optionalInteger(column, in: Self.rowCounts).map { Int($0) }
  }

  func count(_ column: String) throws(DamagedRow) -> Int { Int(try integer(column, in: Self.rowCounts)) }

  func digest(_ column: String) throws(DamagedRow) -> UInt64 {
    UInt64(bitPattern: try integer(column, in: Self.any))
  }

  /// Nil for a null.
  func optionalDigest(_ column: String) throws(DamagedRow) -> UInt64? {
    try optionalInteger(column, in: Self.any).map { UInt64(bitPattern: $0) }
  }

  func importState() throws(DamagedRow) -> SharedImport.State {
    guard let state = SharedImport.State(rawValue: try text("state")) else {
      throw damaged("state", "open, done or stopped")
    }
    return state
  }

  func checkBlockState() throws(DamagedRow) {
    guard ["free", "claimed", "held", "done"].contains(try text("state")) else {
      throw damaged("state", "free, claimed, held or done")
    }
  }

  /// The numbers of rows with each outcome, in columns whose names begin like this. None is unknown.
  func blockCounts(_ prefix: String = "") throws(DamagedRow) -> RowCounts {
    var counts = RowCounts()
    counts.added = try count("\(prefix)added")
    counts.skipped = try count("\(prefix)skipped")
    counts.failed = try count("\(prefix)failed")
    counts.unsettled = try count("\(prefix)unsettled")
    return counts
  }

  /// The fate of each row of a block, a byte each; nil for a null.
  func fates(_ column: String) throws(DamagedRow) -> [RowState]? {
    guard try !isNull(column) else { return nil }
    return try blob(column).map { byte throws(DamagedRow) in
      guard let state = RowState(rawValue: byte) else { throw damaged(column, "the fates of rows") }
      return state
    }
  }

  /// True if the API honors idempotency keys; nil if nobody knows yet.
  func honorsKey() throws(DamagedRow) -> Bool? { try optionalInteger("honors_key", in: 0...1).map { $0 == 1 } }

  /// The most rows a second of all machines; nil for no limit.
  func rowRate() throws(DamagedRow) -> Double? { try optionalReal("rate", in: 1e-6...1e12) }
}
