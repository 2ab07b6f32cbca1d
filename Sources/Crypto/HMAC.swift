import CCryptoShims

/// Message authentication by a hash (RFC 2104).
package enum HMAC {
  /// The HMAC with SHA-1, for one-time passwords (RFC 4226 §5.2).
  /// - Returns: 20 bytes.
  package static func sha1(key: [UInt8], _ message: [UInt8]) -> [UInt8] { digest("SHA1", 20, key, message) }

  /// The HMAC with SHA-256.
  /// - Returns: 32 bytes.
  package static func sha256(key: [UInt8], _ message: [UInt8]) -> [UInt8] { digest("SHA256", 32, key, message) }

  /// True if both are the same. The time does not tell how much of them is the same.
  package static func areEqual(_ one: some Collection<UInt8>, _ other: some Collection<UInt8>) -> Bool {
    one.count == other.count && zip(one, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }

  private static func digest(_ name: String, _ size: Int, _ key: [UInt8], _ message: [UInt8]) -> [UInt8] {
    CryptoLibrary.demand()
    return [UInt8](unsafeUninitializedCapacity: size) { output, count in
      guard let start = output.baseAddress,
        ccrypto_hmac(name, key, key.count, message, message.count, start, size)
      else { return }
      count = size
    }
  }
}
