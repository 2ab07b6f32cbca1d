import JOSE
import SQLite

/// Grants: authorization codes in memory and refresh tokens in the database. Both are stored as hashes.
final class GrantStore {
  struct Grant {
    let clientID: String
    let userID: String
    /// The canonical name of the policy.
    let policy: String
    let scope: String
    let event: SignInEvent
    let nonce: String?
  }

  struct Code {
    let grant: Grant
    let redirectURI: String
    let challenge: CodeChallenge?
    let expires: Int
    /// The family: all tokens of one authorization.
    let family: String
    var isUsed = false
  }

  static let codeLifetime = 600

  let database: Connection
  let clock: TenantClock
  let behavior: TenantBehavior
  private var codes: [String: Code] = [:]
  private var revoked = RevokedFamilies()

  init(_ database: Connection, _ clock: TenantClock, _ behavior: TenantBehavior) {
    self.database = database
    self.clock = clock
    self.behavior = behavior
  }

  func makeCode(_ grant: Grant, family: String, redirectURI: String, challenge: CodeChallenge?) -> String {
    // Used and expired codes are kept for a while, to detect their replay.
    if codes.count >= 10_000 { codes = codes.filter { $0.value.expires > clock.elapsed } }
    if codes.count >= 10_000 { codes = [:] }
    let code = SecureRandom.token(48)
    codes[Self.hash(code)] = Code(
      grant: grant, redirectURI: redirectURI, challenge: challenge, expires: clock.elapsed + Self.codeLifetime,
      family: family)
    return code
  }

  func code(_ text: String) -> Code? { codes[Self.hash(text)] }

  func markUsed(code text: String) { codes[Self.hash(text)]?.isUsed = true }

  /// Revokes all tokens of the family, because a token was used twice or its client revoked it.
  func revoke(family: String) throws {
    revoked.add(family)
    try database.execute("UPDATE refresh_tokens SET is_used = 1 WHERE family = ?", .text(family))
  }

  /// Returns true if the access tokens of the family are revoked.
  func isRevoked(family: String) -> Bool { revoked.contains(family) }

  static func hash(_ text: String) -> String { Base64URL.encode(SHA256.hash(text.utf8)) }
}

/// The most recently revoked families. Access tokens expire soon, so the oldest families can be dropped.
private struct RevokedFamilies {
  private static let capacity = 10_000
  private var names: Set<String> = []
  private var order: [String] = []

  func contains(_ name: String) -> Bool { names.contains(name) }

  mutating func add(_ name: String) {
    guard names.insert(name).inserted else { return }
    order.append(name)
    if order.count >= 2 * Self.capacity {
      names.subtract(order.prefix(Self.capacity))
      order.removeFirst(Self.capacity)
    }
  }
}
