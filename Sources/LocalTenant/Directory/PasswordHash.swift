import CArgon2
import Crypto
import JSON

/// Hashes passwords with Argon2id (RFC 9106). The encoded hash includes its parameters and its salt.
enum PasswordHash {
  // One pass over 8 MiB takes about five milliseconds. This modest cost is enough for a developer's test users.
  private static let passes: UInt32 = 1
  private static let kibibytes: UInt32 = 8 * 1024

  static func make(_ password: String) throws(TenantError) -> String {
    let salt = SecureRandom.bytes(16)
    let secret = Array(password.utf8)
    var encoded = [CChar](repeating: 0, count: 128)
    let result = argon2id_hash_encoded(
      passes, kibibytes, 1, secret, secret.count, salt, salt.count, 32, &encoded, encoded.count)
    guard result == ARGON2_OK.rawValue else {
      throw TenantError(
        code: "password_hash",
        message: "the password could not be hashed: \(String(cString: argon2_error_message(result)))")
    }
    return String(decoding: encoded.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  static func matches(_ password: String, _ hash: String) -> Bool {
    let secret = Array(password.utf8)
    return argon2id_verify(hash, secret, secret.count) == ARGON2_OK.rawValue
  }
}
