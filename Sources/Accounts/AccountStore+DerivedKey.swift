import Crypto
import HostLoop
import JOSE
import JSON

extension AccountStore {
  /// The key of all machines of the store for one purpose. It is derived from the group's key, which is made when there is
  /// none.
  /// - Returns: 32 bytes.
  package func derivedKey(for purpose: String) async throws(AccountError) -> [UInt8] {
    guard let bytes = try await key().json["k"]?.string.flatMap(Base64URL.decode) else {
      throw AccountError(.keyUnusable, "the key of the accounts \(group) in \(path) is none that seals")
    }
    return HMAC.sha256(key: bytes, Array("b2c-run: \(purpose)".utf8))
  }
}
