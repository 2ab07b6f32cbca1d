import Core
import SQLite

/// The tenant's time. What it issues carries `now`; what it keeps expires by `elapsed`, which `advance` moves on, so that
/// everything issued until then grows old while what comes next is good in the eyes of clients with a clock of their own.
final class TenantClock {
  private let time: @Sendable () -> Int
  private let offset: Int
  private let database: Connection
  /// By how many seconds it has been moved on in all.
  private(set) var advanced: Int

  init(time: @escaping @Sendable () -> Int, offset: Int, _ database: Connection) throws {
    self.time = time
    self.offset = offset
    self.database = database
    advanced =
      try database.first("SELECT value FROM settings WHERE name = 'advanced'")?[0].text.flatMap { Int($0) } ?? 0
  }

  /// Seconds since 1970.
  var now: Int { time() + offset }
  /// The same, moved on.
  var elapsed: Int { now + advanced }

  func advance(_ seconds: Int) throws {
    advanced += seconds
    try database.execute("INSERT OR REPLACE INTO settings VALUES ('advanced', ?)", .text(String(advanced)))
  }

  /// `2019-09-17 09:50:39Z`, as in B2C's errors.
  var timestamp: String { UnixTime(Double(now)).text("%Y-%m-%d %H:%M:%SZ") }

  /// `2019-09-17T09:50:39Z` (RFC 3339).
  static func date(_ seconds: Int) -> String { UnixTime(Double(seconds)).iso }
}
