import JOSE
import JSON
import SQLite

/// The keys that sign tokens: the newest signs, the one before it is still published. Made when first needed, because
/// finding the primes takes longer than everything else at start.
final class KeyRing {
  private let database: Connection
  private let first: JWK?
  private var loaded: [JWK] = []

  /// - Parameter first: the key of a new directory; nil to make one.
  init(_ database: Connection, first: JWK?) {
    self.database = database
    self.first = first
  }

  /// The key that signs.
  func current() throws -> JWK {
    try all()[0]
  }

  /// What `current` signs by, told without making it.
  var algorithm: SigningAlgorithm {
    get throws {
      if loaded.isEmpty { loaded = try load() }
      return loaded.first?.signingAlgorithm ?? .rs256
    }
  }

  /// The key with that `kid`.
  func key(_ id: String) throws -> JWK? {
    try all().first { $0.keyID == id }
  }

  /// The keys for the keys endpoint, without their private members.
  func published() throws -> JSON {
    .object([
      "keys": .array(
        try all().map { key in
          var members = try key.publicKey.json.object ?? [:]
          members["use"] = "sig"
          members["alg"] = .string(key.signingAlgorithm.rawValue)
          members["key_ops"] = nil
          return .object(members)
        })
    ])
  }

  /// Puts a new key in front. Tokens of the last one are good until their time; older ones become invalid.
  /// - Parameter algorithm: what the new key is for; nil for the same as the last one.
  func rotate(to algorithm: SigningAlgorithm? = nil) throws {
    let keys = try loaded.isEmpty ? load() : loaded
    loaded = [try add((algorithm ?? self.algorithm).makeKey())] + keys.prefix(1)
  }

  private func all() throws -> [JWK] {
    if loaded.isEmpty { loaded = try load() }
    if loaded.isEmpty { loaded = [try add(first ?? SigningAlgorithm.rs256.makeKey())] }
    return loaded
  }

  private func load() throws -> [JWK] {
    try database.query("SELECT jwk FROM signing_keys ORDER BY number DESC LIMIT 2").map {
      try JWK(JSON(parsing: Array(($0["jwk"].text ?? "").utf8)))
    }
  }

  private func add(_ key: JWK) throws -> JWK {
    try database.execute("INSERT INTO signing_keys (jwk) VALUES (?)", .text(key.json.encoded()))
    return key
  }
}
