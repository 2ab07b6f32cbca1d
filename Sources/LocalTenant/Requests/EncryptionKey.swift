import JOSE
import JSON

/// The key that clients encrypt request objects with. It is made on demand, and new after each start.
final class EncryptionKey {
  static let algorithms = ["ECDH-ES", "ECDH-ES+A128KW", "ECDH-ES+A256KW"]
  static let contents = ["A128GCM", "A256GCM", "A128CBC-HS256", "A256CBC-HS512"]

  private var made: PrivateKey?

  private func key() throws(JOSEError) -> PrivateKey {
    let key = if let made { made } else { try PrivateKey.generate(.ec(curve: "P-256")) }
    made = key
    return key
  }

  /// The public half for the key set.
  func published() throws(JOSEError) -> JSON {
    var members = try key().publicHalf().json.object ?? [:]
    members["use"] = "enc"
    members["key_ops"] = nil
    return .object(members)
  }

  func decrypt(_ text: String) throws(JOSEError) -> String {
    String(decoding: try JWE.decrypt(text, key: key()).plain, as: UTF8.self)
  }
}
