import CLua
import CLuaShims
import HostLoop

/// A Lua table. All access is raw: no metamethod runs, so none can raise or wait.
///
/// A table that was read out of another one knows how deep it lies, and no table is read that lies too deep. Therefore every
/// recursion over a value of a script ends, also if the value contains itself.
package final class LuaTable: LuaReference {
  /// The deepest table that can be read.
  private static let deepest = 256

  /// The number of tables that lie around this one in the value that it was read from.
  private var depth = 0
  /// The argument or option that the value is.
  var place: ValuePlace?

  package subscript(_ name: String) -> LuaValue {
    get { self[.string(name)] }
    set { self[.string(name)] = newValue }
  }

  /// Reading returns nil in a table that lies too deep. Setting with a nil or NaN key is a mistake of the caller's; Lua
  /// refuses it, and so does this.
  package subscript(_ key: LuaValue) -> LuaValue {
    get {
      guard depth <= Self.deepest else { return .nil }
      let stack = state.stack
      push(onto: stack)
      state.push(key, onto: stack)
      lua_rawget(stack, -2)
      defer { luas_pop(stack, 2) }
      return value(at: -1, of: stack)
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

  /// The length of its sequence, without `__len`.
  package var count: Int {
    push(onto: state.stack)
    defer { luas_pop(state.stack, 1) }
    return Int(lua_rawlen(state.stack, -1))
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

  /// The bytes of the strings that are its values, each counted as often as it is there. Nothing is copied.
  package var textSize: Int {
    var size = 0
    forEachPair { stack in
      if lua_type(stack, -1) == LUA_TSTRING { size += Int(clamping: lua_rawlen(stack, -1)) }
      return true
    }
    return size
  }

  /// A value that was read out of this table. A table lies one deeper.
  private func value(at index: Int32, of stack: LuaStack) -> LuaValue {
    let value = state.value(at: index, of: stack)
    if case .table(let table) = value {
      table.depth = depth + 1
      table.place = place
    }
    return value
  }

  /// Calls `body` for each pair, with the key and the value on top of the stack, until it returns false.
  private func forEachPair<Failure: Error>(_ body: (LuaStack) throws(Failure) -> Bool) throws(Failure) {
    let stack = state.stack
    state.reserve(5, on: stack)
    let bottom = lua_gettop(stack)
    defer { lua_settop(stack, bottom) }
    push(onto: stack)
    lua_pushnil(stack)
    // There is no error: the table does not change between two steps.
    while luas_next(stack, -2) == 1 {
      guard try body(stack) else { return }
      luas_pop(stack, 1)
    }
  }
}

// MARK: Reading all of it

extension LuaTable {
  /// More holes than that and than there are values, and the values beyond them are no part of a sequence.
  private static let mostHoles = 1024

  /// Every pair, in no order.
  package var pairs: [(key: LuaValue, value: LuaValue)] {
    get throws(LuaError) {
      try demandDepth()
      var pairs: [(key: LuaValue, value: LuaValue)] = []
      try forEachPair { stack throws(LuaError) in
        try count(1)
        pairs.append((value(at: -2, of: stack), value(at: -1, of: stack)))
        return true
      }
      return pairs
    }
  }

  /// The values at 1, 2, … up to the length, which `__len` does not change. Holes are nil.
  package var sequence: [LuaValue] {
    get throws(LuaError) {
      try demandDepth()
      let stack = state.stack
      push(onto: stack)
      defer { luas_pop(stack, 1) }
      let length = lua_rawlen(stack, -1)
      guard length > 0 else { return [] }
      var elements: [LuaValue] = []
      var holes = 0
      for index in 1...length {
        try count(1)
        lua_rawgeti(stack, -1, lua_Integer(index))
        defer { luas_pop(stack, 1) }
        let element = value(at: -1, of: stack)
        // The length of a table with holes may be anything up to the largest integer.
        if element.isNil { holes += 1 }
        if holes > elements.count - holes + Self.mostHoles { break }
        elements.append(element)
      }
      return elements
    }
  }

  /// The elements of a list. Throws for a table that is none: with holes, with names alone, or with a metatable that gives an
  /// empty table another length.
  package var elements: [LuaValue] {
    get throws(LuaError) {
      let elements = try sequence
      if let hole = elements.firstIndex(where: \.isNil) {
        throw failure("is a list with a hole: element \(hole + 1) is nil")
      }
      if elements.isEmpty { try demandPlain() }
      if let key = stray(behind: elements.count) {
        throw failure(
          elements.isEmpty && key.integer == nil
            ? "is a table with names, expected a list"
            : "is a list with a hole: it has element \(key.integer ?? 0), and no element \(elements.count + 1)")
      }
      return elements
    }
  }

  /// The texts of a list. Throws for an element of another type.
  package var texts: [String] {
    get throws(LuaError) {
      var texts: [String] = []
      for (offset, element) in try elements.enumerated() {
        guard let text = element.string else {
          throw failure("element \(offset + 1): expected a string, got \(element.typeName)")
        }
        texts.append(text)
      }
      return texts
    }
  }

  /// Throws for an empty table whose metatable has it look like another one: the host would take it for empty.
  package func demandPlain() throws(LuaError) {
    guard isEmpty, let metatable else { return }
    for name in ["__len", "__pairs"] where !metatable[name].isNil {
      throw failure(
        "is an empty table whose metatable has \(name); only what a table itself holds is read",
        hint: "copy the values to a plain table")
    }
  }

  private var isEmpty: Bool {
    var isEmpty = true
    forEachPair { _ in
      isEmpty = false
      return false
    }
    return isEmpty
  }

  /// A key that shows that the elements are not the whole list: a whole number behind them, or any key if there are none.
  private func stray(behind length: Int) -> LuaValue? {
    var stray: LuaValue?
    forEachPair { stack in
      let isPosition = lua_isinteger(stack, -2) != 0 && lua_tointegerx(stack, -2, nil) > lua_Integer(length)
      if isPosition || length == 0 { stray = state.value(at: -2, of: stack) }
      return stray == nil
    }
    return stray
  }

  private func demandDepth() throws(LuaError) {
    guard depth > Self.deepest else { return try count(Self.weight) }
    throw failure("has tables in tables more than \(Self.deepest) deep, or contains itself")
  }

  /// A table counts as so many values.
  private static let weight = 8

  private func count(_ values: Int) throws(LuaError) {
    if try state.countRead(values) { return }
    throw failure(
      "has more than \(state.mostRead) values; a table counts each time that it is reached", code: "too_many_values")
  }

  private func failure(_ problem: String, code: String = "invalid_argument", hint: String? = nil) -> LuaError {
    if let place { return place.failure(problem, code: code, hint: hint) }
    return LuaError(code: code, message: "a table \(problem)", hint: hint)
  }
}

/// The argument or the option that a table is a part of.
final class ValuePlace: Sendable {
  private let function: HostFunction
  private let argument: Int
  private let option: String?
  private let noun: String

  init(_ function: HostFunction, argument: Int, option: String? = nil, noun: String = "option") {
    self.function = function
    self.argument = argument
    self.option = option
    self.noun = noun
  }

  /// `jose.verify: argument 2: keys …`
  func failure(_ problem: String, code: String, hint: String?) -> LuaError {
    var error: LuaError
    if let option {
      error = LuaError(
        code: code, message: "\(function.name): \(noun) '\(option)' \(problem)",
        subject: LuaError.Subject(function.name, option: option, problem))
    } else {
      let name = argument < function.parameters.count ? function.parameters[argument].name : "the table"
      error = Arguments.invalid(function, argument, "\(name) \(problem)")
      error.code = code
    }
    error.hint = hint ?? error.hint
    return error
  }
}

extension LuaState {
  /// Counts values that the host reads out of tables since it last called Lua, or Lua called it. False if they are too many.
  /// Throws when the script is to stop.
  fileprivate func countRead(_ values: Int) throws(LuaError) -> Bool {
    let before = read
    read += values
    if before >> 14 != read >> 14 { try check() }
    return read <= mostRead
  }
}
