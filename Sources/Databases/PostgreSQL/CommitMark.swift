/// The number of a transaction and the place of its changes in the log of the server. They tell later whether it was committed.
///
/// A standby that has become the primary server may lack the last transactions, and then gives their numbers to others. It
/// is on another timeline, and says how far it has read the log of the old one: if it has read the changes of the transaction,
/// the number is not given to another.
struct CommitMark {
  private let number: Int64
  /// The timeline of the server, in hexadecimal, and a position in its log behind the changes.
  private let timeline: String
  private let position: String

  /// Nil for a transaction that has changed nothing.
  init?(_ row: Row) {
    guard let number = row["number"].integer, let timeline = row["timeline"].text, let position = row["position"].text
    else { return nil }
    (self.number, self.timeline, self.position) = (number, timeline, position)
  }

  private static let ownTimeline = "left(pg_walfile_name(pg_current_wal_insert_lsn()), 8)"

  /// The last statement before a commit. The commit itself has no time limit: it would end the wait for a synchronous
  /// standby, and the transaction would count as kept there.
  static let statement = """
    SELECT pg_current_xact_id_if_assigned()::text::bigint AS number, \(ownTimeline) AS timeline,
      pg_current_wal_insert_lsn()::text AS position, set_config('statement_timeout', '0', true)
    """

  /// The result is one of `committed`, `aborted` and `in progress`; null if nobody knows, because the server was started again
  /// after it had become the primary one. It takes `values`.
  static let statusStatement = """
    SELECT CASE
      WHEN \(ownTimeline) = ?1::text OR pg_last_wal_replay_lsn() >= ?2::text::pg_lsn THEN pg_xact_status(?3::text::xid8)
      WHEN pg_last_wal_replay_lsn() IS NOT NULL THEN 'aborted' END
    """

  var values: [SQLValue] { [.text(timeline), .text(position), .text(String(number))] }
}
