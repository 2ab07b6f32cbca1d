/// The words of texts in ASCII, byte by byte: looking at Swift's characters costs ten times as much, and names and values of tables
/// are looked at again and again.
package enum PlainWords {
  /// The words in lower case, with one blank between them; nil for a text beyond ASCII. Blanks, `_` and `-` part words.
  /// - Parameters:
  ///   - splitsCapitals: true if a capital letter behind a small one begins a word, as in `isDone`.
  ///   - passesSigns: true if all signs part words.
  package static func ascii(
    _ text: some StringProtocol, splitsCapitals: Bool = false, passesSigns: Bool = false
  ) -> String? {
    var words: [UInt8] = []
    words.reserveCapacity(text.utf8.count + 4)
    var (isParted, isBehindSmall) = (false, false)
    for byte in text.utf8 {
      guard byte < 0x80 else { return nil }
      let isSmall = (0x61...0x7A).contains(byte)
      let isCapital = (0x41...0x5A).contains(byte)
      let isOther = !isSmall && !isCapital && !(0x30...0x39).contains(byte)
      defer { isBehindSmall = isSmall }
      if isOther, passesSigns || byte == 0x20 || (0x09...0x0D).contains(byte) || byte == 0x5F || byte == 0x2D {
        isParted = true
        continue
      }
      if isParted || splitsCapitals && isCapital && isBehindSmall, !words.isEmpty { words.append(0x20) }
      isParted = false
      words.append(isCapital ? byte | 0x20 : byte)
    }
    return String(decoding: words, as: UTF8.self)
  }
}
