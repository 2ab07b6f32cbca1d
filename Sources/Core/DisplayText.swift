extension String {
  /// The text as one line for a terminal. Visible marks replace characters that would move the cursor, change colors or give
  /// the terminal a command. Characters that nobody sees, or that change the direction of writing, are escaped: `\u{202E}`.
  package var displayable: String {
    if utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7f }) { return self }
    var clean = ""
    clean.reserveCapacity(utf8.count)
    let scalars = Array(replacing("\r\n", with: "\n").unicodeScalars)
    for (place, scalar) in scalars.enumerated() {
      if scalar.isInvisible, !Self.isPartOfSign(scalars, place) {
        clean += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      } else {
        clean.unicodeScalars.append(Self.mark(for: scalar))
      }
    }
    return clean
  }

  /// The same for a text of several lines. Its line breaks and tabs stay.
  package var displayableLines: String {
    split(omittingEmptySubsequences: false) { $0.isNewline }.map { line in
      line.split(separator: "\t", omittingEmptySubsequences: false).map { String($0).displayable }.joined(
        separator: "\t")
    }.joined(separator: "\n")
  }

  private static func mark(for scalar: Unicode.Scalar) -> Unicode.Scalar {
    switch scalar.value {
    case 0x09: " "
    case 0x0A, 0x0D, 0x85, 0x2028, 0x2029: "⏎"
    // The pictures Unicode has for the other control characters.
    case 0x00..<0x20: Unicode.Scalar(0x2400 + scalar.value) ?? "\u{FFFD}"
    case 0x7F: "␡"
    case 0x80..<0xA0, 0x10FF80...0x10FFFF: "\u{FFFD}"
    default: scalar
    }
  }

  /// True for an invisible character that the sign before it needs: a joiner or a variation of an emoji, the tags of a flag, a
  /// joiner between letters.
  private static func isPartOfSign(_ scalars: [Unicode.Scalar], _ place: Int) -> Bool {
    guard let before = place > 0 ? scalars[place - 1] : nil else { return false }
    let after = place + 1 < scalars.count ? scalars[place + 1] : nil
    switch scalars[place].value {
    case 0xFE0E, 0xFE0F: return before.isPicture || after?.value == 0x20E3
    case 0x200D: return (before.isPicture || before.value == 0xFE0F) && after?.isPicture == true || joins(before, after)
    case 0x200C: return joins(before, after)
    case 0xE0020...0xE007F: return isTagOfFlag(scalars, place)
    default: return false
    }
  }

  /// True between two letters of a script that joins letters, or that has marks.
  private static func joins(_ before: Unicode.Scalar, _ after: Unicode.Scalar?) -> Bool {
    [before, after].allSatisfy { scalar in
      guard let scalar, scalar.value > 0x24F, !scalar.isInvisible else { return false }
      return scalar.properties.isAlphabetic || scalar.properties.canonicalCombiningClass == .virama
    }
  }

  /// True for the tags of a region behind a black flag, which end with the cancel tag (UTS 51).
  private static func isTagOfFlag(_ scalars: [Unicode.Scalar], _ place: Int) -> Bool {
    func isTag(_ scalar: Unicode.Scalar) -> Bool { 0xE0020...0xE007F ~= scalar.value }
    // A flag has at most seven tags, so that a long text of tags alone takes linear time.
    guard let start = scalars[Swift.max(0, place - 8)...place].lastIndex(where: { !isTag($0) }) else { return false }
    let tags = scalars[(start + 1)...].prefix(8).prefix(while: isTag)
    guard scalars[start].value == 0x1F3F4, place - start <= tags.count else { return false }
    return tags.count <= 7 && tags.last?.value == 0xE007F && tags.dropLast().allSatisfy { $0.value != 0xE007F }
  }

  /// The beginning of the text that fits into `columns`, with "…" at its end if text was cut off.
  package func clipped(to columns: Int) -> String {
    if utf8.count <= columns, utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7f }) { return self }
    var width = 0
    var end: Index?
    for index in indices {
      let next = width + self[index...index].displayWidth
      if end == nil, next > columns - 1 { end = index }
      if next > columns { return columns < 1 ? "" : self[..<(end ?? index)] + "…" }
      width = next
    }
    return self
  }

  /// The text clipped or filled with spaces to exactly this number of columns.
  package func fitted(to columns: Int, alignedRight: Bool = false) -> String {
    let text = clipped(to: columns)
    let padding = String(repeating: " ", count: max(0, columns - text.displayWidth))
    return alignedRight ? padding + text : text + padding
  }
}

extension Unicode.Scalar {
  /// True for a character without a picture, and for one that changes the direction of writing. Controls and spaces are none.
  fileprivate var isInvisible: Bool {
    guard value > 0x9F else { return false }
    // Hangul fillers and the empty pattern of Braille look like spaces.
    if properties.isDefaultIgnorableCodePoint || properties.generalCategory == .format { return true }
    return value == 0x2800
  }

  /// True for an emoji, also for a part of one.
  fileprivate var isPicture: Bool {
    value > 0xFF && (properties.isEmoji || properties.isEmojiModifier) || value == 0xA9 || value == 0xAE
  }
}
