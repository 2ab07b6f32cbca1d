import HostLoop
import Lua

/// Writes single values in Lua's notation.
@HostActor
enum LuaNotation {
  private nonisolated static let reserved: Set<String> = [
    "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "goto", "if", "in", "local", "nil",
    "not", "or", "repeat", "return", "then", "true", "until", "while",
  ]

  /// Returns whether a text is a valid name after a dot.
  nonisolated static func isName(_ text: String) -> Bool {
    guard let first = text.utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else { return false }
    return !reserved.contains(text)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
          true
        default: false
        }
      }
  }

  /// `2.0` for a float that is whole, as Lua writes it.
  static func number(_ value: Double) -> String {
    if value.isNaN { return "nan" }
    if value.isInfinite { return value < 0 ? "-inf" : "inf" }
    return "\(value)"
  }

  /// A string in quotes, with escapes for characters that a line cannot show.
  static func quoted(_ bytes: [UInt8], limit: Int) -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      let shown = bytes.prefix(limit).map { byte in
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): "\\\(Character(UnicodeScalar(byte)))"
        case 0x20..<0x7f: String(UnicodeScalar(byte))
        default: "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
      }
      return "\"\(shown.joined())\"" + (bytes.count > limit ? " … \(bytes.count) bytes" : "")
    }
    let shown = text.prefix(limit)
    let isCut = shown.endIndex < text.endIndex
    return "\"\(shown.unicodeScalars.map(escaped).joined())\"" + (isCut ? " … \(bytes.count) bytes" : "")
  }

  /// `account alice`
  static func description(of object: any LuaObject) -> String {
    let type = type(of: object).luaType
    let text = type.describe(object)
    return text.hasPrefix(type.name) || text.hasPrefix("[") || text == "null" ? text : "\(type.name) \(text)"
  }

  private static func escaped(_ scalar: Unicode.Scalar) -> String {
    switch scalar {
    case "\n": return "\\n"
    case "\t": return "\\t"
    case "\r": return "\\r"
    case "\"": return "\\\""
    case "\\": return "\\\\"
    default: break
    }
    switch scalar.properties.generalCategory {
    // Format characters such as a change of direction would show the rest as something else.
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate:
      return "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
    default: return String(scalar)
    }
  }
}

/// Writes numbers as people do.
enum LuaNumber {
  /// `2` for 2.0, `0.25` for 0.25.
  static func text(_ number: Double) -> String { Int64(exactly: number).map(String.init) ?? "\(number)" }
}
