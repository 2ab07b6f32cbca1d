import JOSE

/// The one-time passwords of an authenticator app (TOTP, RFC 6238): SHA-1, six digits, a new one every 30 seconds.
struct TimeBasedPassword {
  static let period = 30

  private let key: [UInt8]

  /// Nil for what is not Base32.
  init?(secret: String) {
    guard let key = Base32.decode(secret) else { return nil }
    self.key = key
  }

  /// The number of the step that a time, in seconds since 1970, falls into.
  static func step(at time: Int) -> Int { time / period }

  /// The six digits of that step (RFC 4226 §5.3).
  func code(step: Int) -> String {
    let counter = (0..<8).reversed().map { UInt8(truncatingIfNeeded: step >> ($0 * 8)) }
    let hash = HMAC.sha1(key: key, counter)
    let offset = Int(hash[19] & 0x0f)
    let number = hash[offset..<offset + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7fff_ffff
    return OneTimeCode.sixDigits(number)
  }

  /// The step whose code this is: the current one, the one before or the one after (§5.2), unless it came before `used`'s
  /// successor. Each code counts once.
  func step(of code: String, at time: Int, used: Int) -> Int? {
    let now = Self.step(at: time)
    return (now - 1...now + 1).first { $0 > used && self.code(step: $0) == code }
  }
}

enum OneTimeCode {
  /// For messages.
  static func random() -> String {
    sixDigits(UInt32.random(in: 0..<1_000_000))
  }

  static func sixDigits(_ number: UInt32) -> String {
    let digits = String(number % 1_000_000)
    return String(repeating: "0", count: 6 - digits.count) + digits
  }

  /// What a person types, without the spaces between its halves.
  static func cleaned(_ typed: String) -> String { typed.filter { !$0.isWhitespace && $0 != "-" } }
}
