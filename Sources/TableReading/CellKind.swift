/// The kind of a cell's value, as far as its text tells it.
package enum CellKind: Sendable, Hashable {
  case empty, number, date, word, address, identifier, text

  package init(_ text: some StringProtocol) {
    if Self.isBlank(text) {
      self = .empty
    } else if Self.isNumber(text) {
      self = .number
    } else if Self.hasDigit(text), DateText(text) != nil {
      self = .date
    } else if ValueWords.isDone(text) != nil || ValueWords.priority(text) != nil {
      self = .word
    } else if Self.isAddress(text) {
      self = .address
    } else if Self.isIdentifier(text) {
      self = .identifier
    } else if Self.hasOnlyDigits(text) {
      self = .number
    } else {
      self = .text
    }
  }

  private static func hasDigit(_ text: some StringProtocol) -> Bool { text.utf8.contains { (0x30...0x39).contains($0) } }

  /// True for a letter in ASCII that no number has.
  private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) && byte != 0x45 }

  /// True if a character is a number, in any script.
  private static func hasNumber(_ text: some StringProtocol) -> Bool {
    hasDigit(text) || text.utf8.contains { $0 >= 0x80 } && text.contains(where: \.isNumber)
  }

  static func isBlank(_ text: some StringProtocol) -> Bool { text.utf8.allSatisfy { $0 == 0x20 || $0 == 0x09 } }

  /// True for a value that no name of a column and no text of a task has.
  package var isValue: Bool { self == .number || self == .date || self == .address || self == .identifier }

  /// True for digits with signs, points, commas, a percent or a currency.
  private static func isNumber(_ text: some StringProtocol) -> Bool {
    // Most texts have no digit, or a letter.
    guard hasDigit(text), !text.utf8.contains(where: isLetter) else { return false }
    var digits = 0
    var others = 0
    for character in text {
      if character.isASCII, character.isNumber {
        digits += 1
      } else if "+-., %€$£'".contains(character) {
        others += 1
      } else if character == "E", digits > 0 {
        others += 1
      } else {
        return false
      }
    }
    // A date such as 1.10.2026 or 2026-10-01 is none.
    return digits > 0 && others <= 4 && (others < 2 || DateText(text) == nil)
  }

  /// True for digits with other signs, such as a number of a telephone.
  private static func hasOnlyDigits(_ text: some StringProtocol) -> Bool {
    hasNumber(text) && text.allSatisfy { $0.isNumber || $0.isASCII && !$0.isLetter }
  }

  private static func isAddress(_ text: some StringProtocol) -> Bool {
    guard !text.contains(" ") else { return false }
    if text.hasPrefix("http://") || text.hasPrefix("https://") { return true }
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    return parts.count == 2 && !parts[0].isEmpty && parts[1].contains(".")
  }

  /// True for a UUID, a long text of hexadecimal digits, and a key such as `ABC-12`.
  private static func isIdentifier(_ text: some StringProtocol) -> Bool {
    guard hasNumber(text) else { return false }
    let plain = String(text.filter { $0 != "-" })
    if plain.utf8.count >= 16, plain.allSatisfy({ $0.isASCII && $0.isHexDigit }) { return true }
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    return parts.count == 2 && (2...10).contains(parts[0].count) && parts[0].allSatisfy { $0.isASCII && $0.isUppercase }
      && !parts[1].isEmpty && parts[1].allSatisfy { $0.isASCII && $0.isNumber }
  }
}
