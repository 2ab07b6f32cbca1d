import Crypto

/// The one-time passwords of an authenticator app (TOTP, RFC 6238): SHA-1, six digits, a new one every 30 seconds.
struct TimeBasedPassword {
  static let period = 30

  private let key: [UInt8]

  /// Returns nil if the secret is not Base32.
  init?(secret: String) {
    guard let key = Self.decode(secret) else { return nil }
    self.key = key
  }

  /// The number of the time step that contains `time`, in seconds since 1970.
  static func step(at time: Int) -> Int { time / period }

  /// The six digits of the step (RFC 4226 §5.3).
  func code(step: Int) -> String {
    let counter = (0..<8).reversed().map { UInt8(truncatingIfNeeded: step >> ($0 * 8)) }
    let hash = HMAC.sha1(key: key, counter)
    let offset = Int(hash[19] & 0x0f)
    let number = hash[offset..<offset + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7fff_ffff
    return OneTimeCode.sixDigits(number)
  }

  /// The current, previous or next step (§5.2); nil for other codes and steps up to `used`, as each code is valid once.
  func step(of code: String, at time: Int, used: Int) -> Int? {
    let now = Self.step(at: time)
    return (now - 1...now + 1).first { $0 > used && self.code(step: $0) == code }
  }

  private static let base32: [Character: UInt32] = Dictionary(
    uniqueKeysWithValues: zip("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 0...))

  /// Decodes Base32 (RFC 4648 §6) as apps accept it: any letter case, with or without spaces and padding. Nil if empty.
  private static func decode(_ text: String) -> [UInt8]? {
    var bytes: [UInt8] = []
    var buffer: UInt32 = 0
    var bits = 0
    for character in text.uppercased() where !character.isWhitespace && character != "=" && character != "-" {
      guard let value = base32[character] else { return nil }
      buffer = (buffer << 5 | value) & 0xffff
      bits += 5
      if bits >= 8 {
        bits -= 8
        bytes.append(UInt8(truncatingIfNeeded: buffer >> bits))
      }
    }
    return bytes.isEmpty ? nil : bytes
  }
}

enum OneTimeCode {
  static func random(digits: Int = 6) -> String {
    String((0..<digits).map { _ in Character(String(Int.random(in: 0...9))) })
  }

  static func sixDigits(_ number: UInt32) -> String {
    let digits = String(number % 1_000_000)
    return String(repeating: "0", count: 6 - digits.count) + digits
  }

  static func cleaned(_ typed: String) -> String { typed.filter { !$0.isWhitespace && $0 != "-" } }
}
