import CLua
import CLuaShims
import HostLoop

extension LuaState {
  /// Pushes any value. Never raises: allocation cannot fail while Swift is in control.
  func push(_ value: LuaValue, onto stack: LuaStack) {
    reserve(4, on: stack)
    switch value {
    case .nil: lua_pushnil(stack)
    case .boolean(let value): lua_pushboolean(stack, value ? 1 : 0)
    case .integer(let value): lua_pushinteger(stack, value)
    case .number(let value): lua_pushnumber(stack, value)
    case .bytes(let bytes): push(bytes, onto: stack)
    case .table(let reference): reference.push(onto: stack)
    case .function(let reference): reference.push(onto: stack)
    case .other(let reference): reference.push(onto: stack)
    case .object(let object): push(object, onto: stack)
    case .list where stack != self.stack, .record where stack != self.stack:
      // Nesting takes room, which a stack that the script has filled may not have.
      push(value, onto: self.stack)
      lua_xmove(self.stack, stack, 1)
    case .list(let elements, let metatable):
      lua_createtable(stack, Int32(clamping: elements.count), 0)
      for (offset, element) in elements.enumerated() {
        push(element, onto: stack)
        lua_rawseti(stack, -2, lua_Integer(offset + 1))
      }
      if let metatable {
        metatable.push(onto: stack)
        lua_setmetatable(stack, -2)
      }
    case .record(let fields):
      lua_createtable(stack, 0, Int32(clamping: fields.count))
      for field in fields where !field.value.isNil {
        push(field.name, onto: stack)
        push(field.value, onto: stack)
        lua_rawset(stack, -3)
      }
    }
  }

  func push(_ bytes: [UInt8], onto stack: LuaStack) { bytes.withUnsafeBytes { push($0, onto: stack) } }

  func push(_ text: String, onto stack: LuaStack) {
    var text = text
    text.withUTF8 { push(UnsafeRawBufferPointer($0), onto: stack) }
  }

  private func push(_ bytes: UnsafeRawBufferPointer, onto stack: LuaStack) {
    // Lua takes a null pointer for an empty string.
    _ = lua_pushlstring(stack, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count)
  }

  /// The value at `index`, copied; the stack stays as it is.
  func value(at index: Int32, of stack: LuaStack) -> LuaValue {
    switch lua_type(stack, index) {
    case LUA_TNIL, LUA_TNONE: return .nil
    case LUA_TBOOLEAN: return .boolean(lua_toboolean(stack, index) != 0)
    case LUA_TNUMBER:
      return lua_isinteger(stack, index) != 0
        ? .integer(lua_tointegerx(stack, index, nil)) : .number(lua_tonumberx(stack, index, nil))
    case LUA_TSTRING:
      var length = 0
      let bytes = lua_tolstring(stack, index, &length)
      return .bytes(Array(UnsafeRawBufferPointer(start: bytes, count: length)))
    case LUA_TTABLE: return .table(LuaTable(state: self, poppingFrom: pushedCopy(at: index, of: stack)))
    case LUA_TFUNCTION: return .function(LuaFunction(state: self, poppingFrom: pushedCopy(at: index, of: stack)))
    default:
      reserve(3, on: stack)
      if let object = object(at: index, of: stack) { return .object(object) }
      return .other(LuaReference(state: self, poppingFrom: pushedCopy(at: index, of: stack)))
    }
  }

  func values(from first: Int32, of stack: LuaStack) -> [LuaValue] {
    let top = lua_gettop(stack)
    guard top >= first else { return [] }
    return (first...top).map { value(at: $0, of: stack) }
  }

  private func pushedCopy(at index: Int32, of stack: LuaStack) -> LuaStack {
    reserve(1, on: stack)
    lua_pushvalue(stack, index)
    return stack
  }

  /// The value of a JSON text (RFC 8259): objects are tables, arrays sequences with the metatable `arrays`, null is `null`.
  ///
  /// Returns nil for text that is not JSON, and for JSON that a parser may refuse. Examples are nesting deeper than
  /// `deepest` (256 at most), a duplicate name in an object, a name with a NUL, an integer outside of `Int64`, a byte
  /// order mark. To report the cause, call a parser that throws errors.
  /// - Parameter text: the same when this returns; it is not copied if nobody else has it.
  package func value(ofJSON text: inout [UInt8], null: any LuaObject, arrays: LuaTable, deepest: Int) -> LuaValue? {
    guard (try? UTF8Span(validating: text.span)) != nil else { return nil }
    text.append(0)
    defer { text.removeLast() }
    // Else the collector would take for alive what only Swift had, such as the list before this one.
    freeReleased()
    reserve(8, on: stack)
    push(null, onto: stack)
    arrays.push(onto: stack)
    let isRead = text.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return false }
      return luas_pushjson(stack, start.assumingMemoryBound(to: CChar.self), bytes.count - 1, Int32(clamping: deepest))
    }
    guard isRead else { return nil }
    defer { luas_pop(stack, 1) }
    return value(at: -1, of: stack)
  }

  /// The text that `tostring` makes of a value, by its `__tostring` if it has one, cleaned of secrets.
  package func text(of value: LuaValue) -> String { cleanMessage(rawText(of: value)) }

  /// The same as it is, for what is sent.
  package func rawText(of value: LuaValue) -> String {
    push(value, onto: stack)
    luas_tolstring(stack, -1, nil)
    defer { luas_pop(stack, 2) }
    return self.value(at: -1, of: stack).string ?? ""
  }
}
