/// Unpredictable random bytes for keys, states, nonces and verifiers.
package enum SecureRandom {
  /// Bytes from the kernel: `SystemRandomNumberGenerator` is `getrandom(2)` on Linux.
  package static func bytes(_ count: Int) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + 7)
    // Each call of the kernel brings eight bytes.
    while bytes.count < count { withUnsafeBytes(of: generator.next()) { bytes.append(contentsOf: $0) } }
    return Array(bytes.prefix(count))
  }

  /// `count` random bytes in base64url.
  package static func token(_ count: Int = 32) -> String { Base64URL.encode(bytes(count)) }
}
