import HostLoop
import Lua
import LuaKit

@HostActor
struct ValueDifference {
  /// The path from the value to the place: `.tasks[2].text`; empty for the value itself.
  let path: String
  /// Nil if nothing is expected here.
  let expected: LuaValue
  let got: LuaValue

  var text: String {
    let (expected, got) = texts
    return (path.isEmpty ? "" : "\(path): ") + "expected \(expected), got \(got)"
  }

  /// True if the text tells more than that the values differ.
  var saysMore: Bool { !path.isEmpty || longTexts != nil }

  private var longTexts: (String, String)? {
    guard let left = expected.string, let right = got.string, max(left.count, right.count) > 60 else { return nil }
    return (left, right)
  }

  /// The texts of both values; for long strings, the part around the first difference.
  private var texts: (expected: String, got: String) {
    guard let (left, right) = longTexts else { return (Self.text(of: expected), Self.text(of: got)) }
    let common = zip(left, right).prefix { $0 == $1 }.count
    return (
      Self.excerpt(of: left, at: common), "\(Self.excerpt(of: right, at: common)), from character \(common + 1) on"
    )
  }

  private static func text(of value: LuaValue) -> String {
    value.isNil ? "nothing" : ValueText(width: 100).line(of: value)
  }

  private static func excerpt(of text: String, at place: Int) -> String {
    let start = max(0, place - 16)
    let part = text.dropFirst(start).prefix(48)
    let quoted = LuaNotation.quoted(Array(part.utf8), limit: 48)
    return (start > 0 ? "…" : "") + quoted + (part.endIndex < text.endIndex ? "…" : "")
  }
}

@HostActor
struct ValueComparison {
  private struct Pair: Hashable {
    let expected: UnsafeRawPointer?
    let got: UnsafeRawPointer?
  }

  private(set) var differences: [ValueDifference] = []
  /// The number of all differences.
  private(set) var count = 0
  /// True if the table may have fields other than the expected fields.
  private let isPartial: Bool
  /// The tables that have been compared, or are being compared further up: they count as equal when they come again.
  private var known: Set<Pair> = []

  init(expected: LuaValue, got: LuaValue, isPartial: Bool = false) throws {
    self.isPartial = isPartial
    try compare(expected, got, "")
  }

  var isEqual: Bool { count == 0 }

  private mutating func compare(_ expected: LuaValue, _ got: LuaValue, _ path: String) throws {
    if Self.isSame(expected, got) { return }
    guard case .table(let table) = expected else { return add(expected, got, path) }
    if case .object(let object) = got, isPartial {
      for pair in try table.pairs {
        try compare(pair.value, Self.field(pair.key, of: object, table.state), path + ValueText().access(pair.key))
      }
      return
    }
    guard case .table(let other) = got else { return add(expected, got, path) }
    guard known.insert(Pair(expected: table.identity, got: other.identity)).inserted else { return }
    for entry in try TableContents(table).entries {
      try compare(entry.value, other[entry.key], path + ValueText().access(entry.key))
    }
    guard !isPartial else { return }
    for entry in try TableContents(other).entries where table[entry.key].isNil {
      add(.nil, entry.value, path + ValueText().access(entry.key))
    }
  }

  private mutating func add(_ expected: LuaValue, _ got: LuaValue, _ path: String) {
    count += 1
    if differences.count < 20 { differences.append(ValueDifference(path: path, expected: expected, got: got)) }
  }

  /// True if the values are equal by Lua's `==` without metamethods. NaN equals NaN; secrets compare by their bytes.
  static func isSame(_ left: LuaValue, _ right: LuaValue) -> Bool {
    switch (left, right) {
    case (.nil, .nil): true
    case (.boolean(let left), .boolean(let right)): left == right
    case (.integer(let left), .integer(let right)): left == right
    case (.number(let left), .number(let right)): left == right || left.isNaN && right.isNaN
    case (.integer, .number), (.number, .integer): left.integer != nil && left.integer == right.integer
    case (.bytes(let left), .bytes(let right)): left == right
    case (.table(let left), .table(let right)): left.isSame(as: right)
    case (.function(let left), .function(let right)): left.isSame(as: right)
    case (.other(let left), .other(let right)): left.isSame(as: right)
    case (.object(let left as LuaSecret), .object(let right as LuaSecret)): left.secret == right.secret
    case (.object(let left), .object(let right)): left === right
    default: false
    }
  }

  private static func field(_ key: LuaValue, of object: any LuaObject, _ state: LuaState) throws -> LuaValue {
    guard let name = key.string else { return .nil }
    let type = type(of: object).luaType
    if let property = type.properties.first(where: { $0.name == name }) { return try property.get(object, state) }
    return try type.field?(object, name, state) ?? .nil
  }
}
