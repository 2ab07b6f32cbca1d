import HostLoop
import JSON
import Lua

extension FuzzTarget {
  /// The parser, the writer, and the scanners, which get the text in pieces.
  static let json = FuzzTarget("json") { input in
    var input = input
    let size = max(1, Int(input.byte()))
    let value = try? JSON(parsing: input.bytes)
    if let value {
      let again = try JSON(parsing: value.encoded())
      precondition(again == value, "another value after writing and reading")
    }
    for layout in [JSONElementScanner.Layout.array, .values] {
      let elements = try? scan(input.bytes, layout, size: size)
      guard layout == .array, let value, let all = value.array else { continue }
      precondition(elements == all, "other elements than those of the array")
    }
  }

  private static func scan(_ bytes: [UInt8], _ layout: JSONElementScanner.Layout, size: Int) throws -> [JSON] {
    var scanner = JSONElementScanner(layout)
    var elements: [JSON] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      scanner.append(Array(rest.prefix(size)))
      rest = rest.dropFirst(size)
      while let element = try scanner.next() { elements.append(try scanner.json(element)) }
    }
    scanner.finish()
    while let element = try scanner.next() { elements.append(try scanner.json(element)) }
    return elements
  }

  @HostActor private static var states: (LuaState, JSONMarshal)?

  /// JSON text to Lua values and back. Text that begins with `=` is compiled as Lua, and does not run.
  static let lua = FuzzTarget("lua") { input in
    let (state, marshal) =
      try states
      ?? { () throws in
        let state = try LuaState(memoryLimit: 64 << 20)
        return (state, JSONMarshal(state))
      }()
    states = (state, marshal)
    if input.rest.first == UInt8(ascii: "=") {
      _ = try state.load(Array(input.rest.dropFirst()), name: "fuzz.lua")
      return
    }
    var text = input.bytes
    let value = try? marshal.value(parsing: &text)
    let parsed = try? JSON(parsing: input.bytes)
    precondition((value == nil) == (parsed == nil), "the parsers do not agree about \(input.text)")
    guard let value, let parsed else { return }
    let holder = state.makeTable()
    holder["value"] = value
    // A table that nests too deep is read, and not written.
    guard let written = try? marshal.text(holder["value"]) else { return }
    let again = try JSON(parsing: written)
    precondition(again == parsed, "another value after the way through Lua: \(input.text)")
  }
}
