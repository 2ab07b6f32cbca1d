/// How the bytes of a text file stand for characters.
package enum TextEncoding: String, Sendable, CaseIterable {
  case utf8 = "UTF-8"
  case utf16LittleEndian = "UTF-16LE"
  case utf16BigEndian = "UTF-16BE"
  case utf32LittleEndian = "UTF-32LE"
  case utf32BigEndian = "UTF-32BE"
  case windows1252 = "Windows-1252"
  case windows1250 = "Windows-1250"
  case windows1251 = "Windows-1251"
  case latin1 = "ISO-8859-1"
  case latin9 = "ISO-8859-15"
  case macRoman = "MacRoman"

  /// By a name in any letter case, with or without hyphens, or one of the usual other names; nil for an unknown one.
  package init?(name: String) {
    let plain = Self.plain(name)
    if let known = Self.allCases.first(where: { Self.plain($0.rawValue) == plain }) {
      self = known
    } else if let known = Self.otherNames[plain] {
      self = known
    } else {
      return nil
    }
  }

  private static func plain(_ name: String) -> String { name.lowercased().filter { $0.isLetter || $0.isNumber } }

  private static let otherNames: [String: TextEncoding] = [
    "cp1252": .windows1252, "ansi": .windows1252, "cp1250": .windows1250, "cp1251": .windows1251, "latin1": .latin1,
    "latin9": .latin9, "macintosh": .macRoman, "mac": .macRoman, "utf16": .utf16LittleEndian,
    "unicode": .utf16LittleEndian, "ucs2": .utf16LittleEndian, "utf32": .utf32LittleEndian, "usascii": .utf8,
    "ascii": .utf8,
  ]

  /// The name that iconv(3) knows.
  var iconvName: String { self == .macRoman ? "MACINTOSH" : self == .utf8 ? "UTF-8" : rawValue.uppercased() }

  /// True if each character is a byte.
  package var isOfBytes: Bool {
    switch self {
    case .utf8, .utf16LittleEndian, .utf16BigEndian, .utf32LittleEndian, .utf32BigEndian: false
    default: true
    }
  }

  /// The bytes of U+FEFF at the beginning of a text, which do not belong to it.
  package var mark: [UInt8] {
    switch self {
    case .utf8: [0xEF, 0xBB, 0xBF]
    case .utf16LittleEndian: [0xFF, 0xFE]
    case .utf16BigEndian: [0xFE, 0xFF]
    case .utf32LittleEndian: [0xFF, 0xFE, 0, 0]
    case .utf32BigEndian: [0, 0, 0xFE, 0xFF]
    default: []
    }
  }
}
