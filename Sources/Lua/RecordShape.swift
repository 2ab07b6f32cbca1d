import CLua
import CLuaShims
import HostLoop

/// How one table is made of another: which fields it gets, under which names, from which fields there.
package struct RecordShape: Sendable {
  package struct Field: Sendable {
    package enum Kind: Sendable {
      case any
      /// A string, or nothing.
      case text
      /// A string; empty where there is none.
      case requiredText
      /// A boolean; false where there is none.
      case flag
    }

    let name: String
    let sources: [String]
    let kind: Kind

    /// - Parameter sources: names in the other table; the first that it has counts.
    package init(_ name: String, of sources: [String], _ kind: Kind) {
      self.name = name
      self.sources = sources
      self.kind = kind
    }
  }

  let fields: [Field]
  /// The field that gets the other table itself.
  let whole: String

  package init(_ fields: [Field], whole: String) {
    self.fields = fields
    self.whole = whole
  }
}

extension LuaTable {
  /// Puts a record in the place of each element; `other` decides on an element that does not have the shape.
  package func replaceElements(by shape: RecordShape, orElse other: (LuaValue) throws -> LuaValue) rethrows {
    let stack = state.stack
    let bottom = lua_gettop(stack)
    let collects = luas_stopcollecting(stack)
    defer {
      lua_settop(stack, bottom)
      luas_collectagain(stack, collects)
    }
    let names = shape.fields.map(\.sources.count).reduce(shape.fields.count, +)
    state.reserve(Int32(names) + 8, on: stack)
    push(onto: stack)
    let list = bottom + 1
    var maker = RecordMaker(shape, list + 1, state)
    let element = maker.end
    for index in 1...max(1, lua_Integer(lua_rawlen(stack, list))) {
      if lua_rawgeti(stack, list, index) == LUA_TNIL { break }
      if !maker.push(element) {
        lua_settop(stack, element)
        let value = try other(state.value(at: element, of: stack))
        state.push(value, onto: stack)
      }
      lua_rawseti(stack, list, index)
      lua_settop(stack, element - 1)
    }
  }
}

/// Makes records, with the names ready on the stack.
@HostActor
private struct RecordMaker {
  private struct Field {
    let name: Int32
    let sources: Range<Int32>
    let kind: RecordShape.Field.Kind
  }

  private let stack: LuaStack
  private var fields: [Field] = []
  private let whole: Int32
  /// The first place on the stack behind the names.
  let end: Int32

  init(_ shape: RecordShape, _ first: Int32, _ state: LuaState) {
    stack = state.stack
    var next = first
    for field in shape.fields {
      for name in [field.name] + field.sources { state.push(name, onto: stack) }
      let end = next + 1 + Int32(field.sources.count)
      fields.append(Field(name: next, sources: next + 1..<end, kind: field.kind))
      next = end
    }
    state.push(shape.whole, onto: stack)
    whole = next
    end = next + 1
  }

  /// Pushes the record of the table at `source`. False where that does not fit; what is on the stack then has no meaning.
  mutating func push(_ source: Int32) -> Bool {
    guard lua_type(stack, source) == LUA_TTABLE else { return false }
    if lua_getmetatable(stack, source) != 0 { return false }
    lua_createtable(stack, 0, Int32(fields.count) + 1)
    for field in fields {
      lua_pushvalue(stack, field.name)
      let type = pushFirst(of: field, source)
      switch (field.kind, type) {
      case (.any, LUA_TNIL), (.text, LUA_TNIL):
        luas_pop(stack, 2)
        continue
      case (.any, LUA_TUSERDATA): return false
      case (.any, _), (.text, LUA_TSTRING), (.requiredText, LUA_TSTRING), (.flag, LUA_TBOOLEAN): break
      case (.requiredText, LUA_TNIL):
        luas_pop(stack, 1)
        _ = lua_pushlstring(stack, nil, 0)
      case (.flag, LUA_TNIL):
        luas_pop(stack, 1)
        lua_pushboolean(stack, 0)
      default: return false
      }
      lua_rawset(stack, -3)
    }
    lua_pushvalue(stack, whole)
    lua_pushvalue(stack, source)
    lua_rawset(stack, -3)
    return true
  }

  /// Pushes the first value that the table at `source` has for the field, or nil. Returns its type.
  private func pushFirst(of field: Field, _ source: Int32) -> Int32 {
    for name in field.sources {
      lua_pushvalue(stack, name)
      let type = lua_rawget(stack, source)
      if type != LUA_TNIL { return type }
      luas_pop(stack, 1)
    }
    lua_pushnil(stack)
    return LUA_TNIL
  }
}
