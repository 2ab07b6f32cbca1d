import Databases
import JOSE
import JSON

/// The newest key signs; the previous one is still published. The first key is made on demand: an RSA key takes long.
final class KeyRing {
  private let database: SQLiteConnection
  private let first: JWK?
  private var loaded: [JWK] = []
  let encryption = EncryptionKey()

  init(_ database: SQLiteConnection, first: JWK?) {
    self.database = database
    self.first = first
  }

  func current() throws -> JWK { try all()[0] }

  /// The algorithm of `current`, determined without generating the key.
  var algorithm: SigningAlgorithm {
    get throws {
      if loaded.isEmpty { loaded = try load() }
      return loaded.first?.signingAlgorithm ?? .rs256
    }
  }

  /// Returns the verified claims of a token of this tenant; nil if none of the tenant's keys has signed it.
  /// - Throws: a `JOSEError` if the token is malformed or its signature is wrong, and a `JSONError`.
  func verify(_ token: String) throws -> JSON? {
    guard let id = try JWT(decoding: token).header["kid"]?.string, let key = try all().first(where: { $0.keyID == id })
    else { return nil }
    return try JSON(parsing: JWS.verify(token, key: key.publicKey, algorithms: [key.signingAlgorithm.rawValue]))
  }

  func published() throws -> JSON {
    .object([
      "keys": .array(
        try all().map { key in
          var members = try key.publicKey.json.object ?? [:]
          members["use"] = "sig"
          members["alg"] = .string(key.signingAlgorithm.rawValue)
          members["key_ops"] = nil
          return .object(members)
        } + [encryption.published()])
    ])
  }

  /// Tokens signed with the previous key stay valid until they expire; older ones become invalid. Nil: the same
  /// algorithm.
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
