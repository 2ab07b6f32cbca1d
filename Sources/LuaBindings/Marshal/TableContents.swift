import HostLoop
import Lua

/// The entries of a table, in the order of display.
@HostActor
struct TableContents {
  let entries: [(key: LuaValue, value: LuaValue)]
  /// True if the keys are 1, 2, … without any other key.
  let isList: Bool
  /// The text in front of the brace: the name of a table of the host.
  let prefix: String

  init(_ table: LuaTable) {
    // A read-only table of the API is empty; its metatable has the contents.
    let metatable = table.metatable
    let name = metatable?["__metatable"].boolean == false ? metatable?["__name"].string : nil
    let shown = name == nil ? table : metatable?["__index"].table ?? table
    prefix = name.map { "\($0) " } ?? ""
    let pairs = shown.pairs
    entries = pairs.map { (Self.rank(of: $0.key), $0) }.sorted { $0.0 < $1.0 }.map(\.1)
    isList = entries.enumerated().allSatisfy { offset, entry in
      if case .integer(let position) = entry.key { position == Int64(offset) + 1 } else { false }
    }
  }

  /// Numbers first, then names, then everything else.
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
