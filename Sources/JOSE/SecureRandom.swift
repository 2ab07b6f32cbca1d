/// Unpredictable random bytes for keys, states, nonces and verifiers.
package enum SecureRandom {
  /// Bytes from the kernel: `SystemRandomNumberGenerator` is `getrandom(2)` on Linux.
  package static func bytes(_ count: Int) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
  }

  /// `count` random bytes in base64url.
  package static func token(_ count: Int = 32) -> String { Base64URL.encode(bytes(count)) }
}
