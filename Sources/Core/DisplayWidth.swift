extension StringProtocol {
  /// The number of columns on a terminal: two for East Asian wide characters and emoji, none for combining marks, one for
  /// spacing marks.
  package var displayWidth: Int {
    if utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7f }) { return utf8.count }
    return reduce(0) { width, character in
      guard let scalar = character.unicodeScalars.first else { return width }
      if character.unicodeScalars.contains(where: { $0.properties.isEmojiPresentation || $0 == "\u{FE0F}" }) {
        return width + 2
      }
      switch scalar.properties.generalCategory {
      case .nonspacingMark, .enclosingMark, .format, .control: return width
      default:
        let marks = character.unicodeScalars.dropFirst().count { $0.properties.generalCategory == .spacingMark }
        return width + (isWide(scalar.value) ? 2 : 1) + marks
      }
    }
  }
}

/// The wide and full-width blocks of Unicode's East Asian Width (UAX #11).
private func isWide(_ value: UInt32) -> Bool {
  switch value {
  case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
    0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD:
    true
  default: false
  }
}
