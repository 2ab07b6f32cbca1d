import JOSE
import SQLite

/// What was granted: authorization codes in memory, refresh tokens in the database. Both are kept as hashes.
final class GrantStore {
  struct Grant {
    let clientID: String
    let userID: String
    /// Canonical.
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
    /// The tokens that came of the same authorization.
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
    // Used and expired ones stay for a while, so that their replay is seen.
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

  /// Makes all tokens of the family worthless: one of them was seen in two hands, or its client gave it up.
  func revoke(family: String) throws {
    revoked.add(family)
    try database.execute("UPDATE refresh_tokens SET is_used = 1 WHERE family = ?", .text(family))
  }

  /// Whether access tokens of that family are worthless.
  func isRevoked(family: String) -> Bool { revoked.contains(family) }

  static func hash(_ text: String) -> String { Base64URL.encode(SHA256.hash(text.utf8)) }
}

/// The families that were withdrawn last. Their access tokens expire soon, so that the oldest of many may be forgotten.
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
