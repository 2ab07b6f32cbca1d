import Core
import Databases
import JSON

/// The tenant's time. Tokens are issued at `now`; stored tokens, codes and sessions expire by `elapsed`. `advance`
/// moves `elapsed` only: earlier things grow older, and new tokens stay valid for clients, which have their own clocks.
final class TenantClock {
  private let time: @Sendable () -> Int
  private let offset: Int
  private let database: SQLiteConnection
  /// The total number of seconds by which `advance` has moved the clock. The database keeps it.
  private(set) var advanced: Int

  init(time: @escaping @Sendable () -> Int, offset: Int, _ database: SQLiteConnection) throws {
    self.time = time
    self.offset = offset
    self.database = database
    advanced =
      try database.first("SELECT value FROM settings WHERE name = 'advanced'")?[0].text.flatMap { Int($0) } ?? 0
  }

  /// Seconds since 1970.
  var now: Int { time() + offset }
  /// Seconds since 1970, plus the seconds added by `advance`.
  var elapsed: Int { now + advanced }

  /// The `exp` of a token's claims, in elapsed seconds: later by the time that had passed when the token was issued.
  static func expiry(_ claims: JSON) -> Int {
    Int(claims["exp"]?.lenientInteger ?? 0) + Int(claims[TokenIssuer.advancedClaim]?.lenientInteger ?? 0)
  }

  func advance(_ seconds: Int) throws {
    advanced += seconds
    try database.execute("INSERT OR REPLACE INTO settings VALUES ('advanced', ?)", .text(String(advanced)))
  }

  /// The time in the form of B2C's errors: `2019-09-17 09:50:39Z`.
  var timestamp: String { UnixTime(Double(now)).text("%Y-%m-%d %H:%M:%SZ") }

  /// The time in RFC 3339: `2019-09-17T09:50:39Z`.
  static func date(_ seconds: Int) -> String { UnixTime(Double(seconds)).iso }
}
