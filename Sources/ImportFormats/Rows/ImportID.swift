import Core

/// The ID of an import, which begins the idempotency keys of its rows.
package enum ImportID {
  private static let digits = Array("0123456789abcdefghijklmnopqrstuv")

  /// Eighty random bits.
  package static func random() -> String {
    var generator = RunRandom()
    return String((0..<16).map { _ in digits[Int.random(in: 0..<32, using: &generator)] })
  }

  /// The ID that these bytes give, of which 16 are taken.
  package static func made(of bytes: some Sequence<UInt8>) -> String {
    String(bytes.prefix(16).map { digits[Int($0 % 32)] })
  }

  /// True for a text that `random` may have made.
  package static func isID(_ text: String) -> Bool { text.count == 16 && text.allSatisfy(digits.contains) }
}
