import CLua
import CLuaShims
import HostLoop

/// A Lua table. All access is raw: no metamethod runs, so none can raise or wait.
package final class LuaTable: LuaReference {
  package subscript(_ name: String) -> LuaValue {
    get { self[.string(name)] }
    set { self[.string(name)] = newValue }
  }

  /// Setting with a nil or NaN key is a mistake of the caller's; Lua refuses it, and so does this.
  package subscript(_ key: LuaValue) -> LuaValue {
    get {
      let stack = state.stack
      push(onto: stack)
      state.push(key, onto: stack)
      lua_rawget(stack, -2)
      defer { luas_pop(stack, 2) }
      return state.value(at: -1, of: stack)
    }
    set {
      if key.isNil { return }
      if case .number(let number) = key, number.isNaN { return }
      let stack = state.stack
      push(onto: stack)
      state.push(key, onto: stack)
      state.push(newValue, onto: stack)
      lua_rawset(stack, -3)
      luas_pop(stack, 1)
    }
  }

  /// More holes than that and than there are values, and what is beyond them is no part of a sequence.
  private static let mostHoles = 1024

  /// The length of its sequence, without `__len`.
  package var count: Int {
    push(onto: state.stack)
    defer { luas_pop(state.stack, 1) }
    return Int(lua_rawlen(state.stack, -1))
  }

  /// Its sequence: the values at 1, 2, … up to the length.
  package var elements: [LuaValue] {
    let stack = state.stack
    push(onto: stack)
    defer { luas_pop(stack, 1) }
    let count = lua_rawlen(stack, -1)
    guard count > 0 else { return [] }
    var elements: [LuaValue] = []
    var holes = 0
    for index in 1...count {
      lua_rawgeti(stack, -1, lua_Integer(index))
      defer { luas_pop(stack, 1) }
      let element = state.value(at: -1, of: stack)
      // The length of a table with holes may be anything up to the largest integer.
      if element.isNil { holes += 1 }
      if holes > elements.count - holes + Self.mostHoles { break }
      elements.append(element)
    }
    return elements
  }

  /// Every pair, in no order.
  package var pairs: [(key: LuaValue, value: LuaValue)] {
    let stack = state.stack
    state.reserve(5, on: stack)
    push(onto: stack)
    lua_pushnil(stack)
    var pairs: [(key: LuaValue, value: LuaValue)] = []
    while true {
      let next = luas_next(stack, -2)
      guard next == 1 else {
        // There is no error, which would take another place: the table does not change between two steps.
        luas_pop(stack, next == 0 ? 1 : 2)
        return pairs
      }
      pairs.append((state.value(at: -2, of: stack), state.value(at: -1, of: stack)))
      luas_pop(stack, 1)
    }
  }

  /// The bytes of the strings that are its values, each counted as often as it is there. Nothing is copied.
  package var textSize: Int {
    let stack = state.stack
    state.reserve(5, on: stack)
    push(onto: stack)
    lua_pushnil(stack)
    var size = 0
    while luas_next(stack, -2) == 1 {
      if lua_type(stack, -1) == LUA_TSTRING { size += Int(clamping: lua_rawlen(stack, -1)) }
      luas_pop(stack, 1)
    }
    luas_pop(stack, 1)
    return size
  }

  /// Its metatable, also where `__metatable` hides it from scripts.
  package var metatable: LuaTable? {
    get {
      let stack = state.stack
      push(onto: stack)
      defer { luas_pop(stack, 1) }
      guard lua_getmetatable(stack, -1) != 0 else { return nil }
      return LuaTable(state: state, poppingFrom: stack)
    }
    set {
      let stack = state.stack
      push(onto: stack)
      if let newValue { newValue.push(onto: stack) } else { lua_pushnil(stack) }
      lua_setmetatable(stack, -2)
      luas_pop(stack, 1)
    }
  }
}
