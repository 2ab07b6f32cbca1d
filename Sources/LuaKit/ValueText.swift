import Core
package import HostLoop
package import Lua

/// Writes Lua values as text for people, in Lua's notation as far as possible. Tables are sorted, and stand on one line
/// if they fit. Entries that are left out are counted.
@HostActor
package struct ValueText {
  /// The most tables in one text: each may be reached in many ways.
  private static let mostTables = 10_000

  private let width: Int
  private let depth: Int
  private let entries: Int
  private let characters: Int
  private let tables = TableCount()

  @HostActor private final class TableCount { var left = 0 }

  package init(width: Int = 80, depth: Int = 8, entries: Int = 100, characters: Int = 2000) {
    self.width = width
    self.depth = depth
    self.entries = entries
    self.characters = characters
  }

  /// The value on as many lines as it needs.
  package func text(of value: LuaValue) -> String {
    tables.left = Self.mostTables
    return text(of: value, indentation: 0, room: width, above: [])
  }

  /// The value on one line, cut off at the width.
  package func line(of value: LuaValue) -> String {
    tables.left = Self.mostTables
    if let line = line(of: value, room: width, above: []) { return line }
    guard case .table = value else { return ValueText(width: .max, characters: max(8, width - 24)).line(of: value) }
    return ValueText(width: .max, depth: 1, entries: 4, characters: 16).line(of: value, room: .max, above: [])
      ?? "{ … }"
  }

  /// A key of a table as access to it: `.name`, `[3]`, `["a b"]`.
  package func access(_ key: LuaValue) -> String {
    if let name = key.string, LuaNotation.isName(name) { return ".\(name)" }
    return "[\(line(of: key))]"
  }

  private func text(of value: LuaValue, indentation: Int, room: Int, above: [LuaTable]) -> String {
    if let line = line(of: value, room: room, above: above) { return line }
    guard let table = value.table, above.count < depth, let contents = contents(of: table) else {
      return scalar(value)
    }
    let inner = indentation + 2
    let margin = String(repeating: " ", count: inner)
    var lines: [String] = []
    for entry in contents.entries.prefix(entries) {
      let name = contents.isList ? "" : "\(Self.name(of: entry.key, self)) = "
      let room = width - inner - name.displayWidth - 1
      lines.append(
        margin + name + text(of: entry.value, indentation: inner, room: room, above: above + [table]) + ",\n")
    }
    let rest = contents.entries.count - entries
    if rest > 0 { lines.append("\(margin)… \(rest) more\n") }
    return "\(contents.prefix){\n" + lines.joined() + String(repeating: " ", count: indentation) + "}"
  }

  /// Nil if the value takes more than `room` columns.
  private func line(of value: LuaValue, room: Int, above: [LuaTable]) -> String? {
    guard let table = value.table else {
      let text = scalar(value)
      return text.displayWidth <= room ? text : nil
    }
    if above.contains(where: { $0.isSame(as: table) }) { return "{ the table above }" }
    guard let contents = contents(of: table) else { return scalar(value) }
    if contents.entries.isEmpty { return "\(contents.prefix){}" }
    if above.count >= depth { return "\(contents.prefix){ … }" }
    var text = "\(contents.prefix){ "
    for (offset, entry) in contents.entries.enumerated() {
      if offset > 0 { text += ", " }
      if offset == entries {
        text += "… \(contents.entries.count - entries) more"
        break
      }
      if !contents.isList { text += "\(Self.name(of: entry.key, self)) = " }
      // A character has at most four bytes, so a text of more bytes is too long without being measured.
      guard room > 1 << 20 || text.utf8.count <= 4 * room,
        let inner = line(of: entry.value, room: room, above: above + [table])
      else { return nil }
      text += inner
    }
    text += " }"
    return text.displayWidth <= room ? text : nil
  }

  /// Nil when the text has too many tables, or the table lies too deep.
  private func contents(of table: LuaTable) -> TableContents? {
    tables.left -= 1
    return tables.left < 0 ? nil : try? TableContents(table)
  }

  private static func name(of key: LuaValue, _ text: ValueText) -> String {
    if let name = key.string, LuaNotation.isName(name) { return name }
    return "[\(text.scalar(key))]"
  }

  private func scalar(_ value: LuaValue) -> String {
    switch value {
    case .nil: "nil"
    case .boolean(let value): value ? "true" : "false"
    case .integer(let value): "\(value)"
    case .number(let value): LuaNotation.number(value)
    case .bytes(let bytes): LuaNotation.quoted(bytes, limit: characters)
    case .table, .list, .record: "{ … }"
    case .function(let function):
      function.state.declaration(of: function).map { "function \($0.signature)" } ?? "function"
    case .object(let object): LuaNotation.description(of: object)
    case .other(let reference): reference.typeName
    }
  }
}

/// The entries of a table, in the order of display.
@HostActor
package struct TableContents {
  package let entries: [(key: LuaValue, value: LuaValue)]
  /// True if the keys are 1, 2, … without any other key.
  let isList: Bool
  /// The text in front of the brace: the name of a table of the host.
  package let prefix: String

  package init(_ table: LuaTable) throws(LuaError) {
    // A read-only table of the API is empty; its metatable has the contents.
    let metatable = table.metatable
    let name = metatable?["__metatable"].boolean == false ? metatable?["__name"].string : nil
    let shown = name == nil ? table : metatable?["__index"].table ?? table
    prefix = name.map { "\($0) " } ?? ""
    let pairs = try shown.pairs
    entries = pairs.map { (Self.rank(of: $0.key), $0) }.sorted { $0.0 < $1.0 }.map(\.1)
    isList = entries.enumerated().allSatisfy { offset, entry in
      if case .integer(let position) = entry.key { position == Int64(offset) + 1 } else { false }
    }
  }

  private static func rank(of key: LuaValue) -> Rank {
    switch key {
    case .integer(let value): Rank(group: 0, number: Double(value), text: "")
    case .number(let value): Rank(group: 0, number: value, text: "")
    case .bytes: Rank(group: 1, number: 0, text: key.string ?? "")
    default: Rank(group: 2, number: 0, text: key.typeName)
    }
  }

  private struct Rank: Comparable {
    let group: Int
    let number: Double
    let text: String

    static func < (left: Rank, right: Rank) -> Bool {
      (left.group, left.number, left.text) < (right.group, right.number, right.text)
    }
  }
}

@HostActor
/// Values in Lua's notation.
package enum LuaNotation {
  private nonisolated static let reserved: Set<String> = [
    "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "goto", "if", "in", "local", "nil",
    "not", "or", "repeat", "return", "then", "true", "until", "while",
  ]

  package nonisolated static func isName(_ text: String) -> Bool {
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
  package static func number(_ value: Double) -> String {
    if value.isNaN { return "nan" }
    if value.isInfinite { return value < 0 ? "-inf" : "inf" }
    return "\(value)"
  }

  /// A string in quotes, with escapes for characters that a line cannot show.
  package static func quoted(_ bytes: [UInt8], limit: Int) -> String {
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
  package static func description(of object: any LuaObject) -> String {
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

/// Numbers as texts for people.
package enum LuaNumber {
  /// `2` for 2.0, `0.25` for 0.25.
  package static func text(_ number: Double) -> String { Int64(exactly: number).map(String.init) ?? "\(number)" }
}
