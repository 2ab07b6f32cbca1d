import CLua
import CLuaShims
import Core
import HostLoop

extension LuaState {
  /// Adds the place and traceback of the running Lua code, joined to that of the coroutine the error comes from.
  func pushError(_ error: any Error, onto stack: LuaStack) {
    var error = LuaError(error)
    reserve(16, on: stack)
    error.traceback = Self.join(error.traceback, traceback(of: stack, from: 1), by: error.link)
    if error.location == nil { error.location = place(on: stack) }
    if let value = error.value, value.belongs(to: self) {
      if case .table(let table) = value {
        if isErrorObject(table) {
          table["traceback"] = .string(error.traceback)
        } else {
          keep(error.traceback, of: table)
        }
      }
      guard case .bytes = value else { return push(value, onto: stack) }
    }
    pushErrorObject(error, onto: stack)
  }

  private func pushErrorObject(_ error: LuaError, onto stack: LuaStack) {
    push(fields(of: error), onto: stack)
    lua_rawgeti(stack, luas_registryindex(), lua_Integer(errorMetatable))
    lua_setmetatable(stack, -2)
  }

  /// Script and line of the Lua code nearest to the call: `pcall(tasks.add)` has C between the two.
  func place(on stack: LuaStack) -> String? {
    for level in 1...Int32(5) {
      luaL_where(stack, level)
      let place = value(at: -1, of: stack).string ?? ""
      luas_pop(stack, 1)
      if !place.isEmpty, !place.hasPrefix("\(Self.hostChunk):") { return String(place.dropLast(2)) }
    }
    return nil
  }

  /// The name of the host's own chunks, whose lines no message shows.
  package static let hostChunk = "(b2c-run)"

  /// `error` as the object a script sees, for handlers that are called with one.
  package func errorObject(_ error: any Error) -> LuaValue {
    let error = LuaError(error)
    if case .table(let table)? = error.value, table.state === self, isErrorObject(table) { return .table(table) }
    reserve(2, on: stack)
    pushErrorObject(error, onto: stack)
    return .table(LuaTable(state: self, poppingFrom: stack))
  }

  /// Pops the error value. `keeping` says that the stack is still whole: then with a traceback.
  func takeError(from source: LuaStack, keeping isWhole: Bool = false) -> LuaError {
    // All work is done on the main thread's stack: an overflow leaves no room on the other.
    reserve(16, on: stack)
    var trace = isWhole ? traceback(of: source, from: 0) : nil
    if source != stack { lua_xmove(source, stack, 1) }
    defer { luas_pop(stack, 1) }
    if isWhole {
      lua_pushvalue(stack, -1)
      lua_xmove(stack, source, 1)
    }
    let value = value(at: -1, of: stack)
    if case .table(let table) = value {
      if isErrorObject(table) { return error(from: table) }
      trace = takeTraceback(of: table) ?? trace
    }
    luas_tolstring(stack, -1, nil)
    let message = cleanMessage(LuaError.bounded(self.value(at: -1, of: stack).string ?? ""))
    luas_pop(stack, 1)
    if case .bytes = value {
      let (location, text) = splitLocation(message)
      return LuaError(
        code: "script_error", message: text, hint: hint(forError: text), location: location, traceback: trace,
        value: value)
    }
    return LuaError(
      code: value.table?["code"].string ?? "script_error", message: describe(value, text: message),
      hint: value.table?["hint"].string.map(cleanMessage), details: value.table.map(Self.wait(in:)) ?? [:],
      traceback: trace, value: value)
  }

  /// For a raised value that is no string; Lua's own `text` may be only an address in memory.
  private func describe(_ value: LuaValue, text: String) -> String {
    if case .table(let table) = value, let message = table["message"].string { return cleanMessage(message) }
    return value.isNil || text.hasPrefix("\(value.typeName): 0x") ? "error with a \(value.typeName) value" : text
  }

  func makeErrorMetatable() -> Int32 {
    let metatable = makeTable()
    metatable["__name"] = .string("error")
    metatable["__metatable"] = .boolean(false)
    metatable["__tostring"] = metamethod("tostring") { arguments in
      .string(arguments[0].table.map { arguments.state.error(from: $0).description } ?? "error")
    }
    metatable.push(onto: stack)
    return luaL_ref(stack, luas_registryindex())
  }

  private func isErrorObject(_ table: LuaTable) -> Bool {
    table.push(onto: stack)
    defer { luas_pop(stack, 1) }
    guard lua_getmetatable(stack, -1) != 0 else { return false }
    lua_rawgeti(stack, luas_registryindex(), lua_Integer(errorMetatable))
    defer { luas_pop(stack, 2) }
    return lua_rawequal(stack, -1, -2) != 0
  }

  private func fields(of error: LuaError) -> LuaValue {
    // A denial names what a person may allow, and is shown as it is.
    let clean = error.code == Self.denialCode ? { $0 } : cleanMessage
    return .record([
      ("code", .string(error.code)), ("message", .string(clean(error.message))),
      ("hint", .string(error.hint.map(clean))), ("status", .integer(error.status)),
      ("retryable", .boolean(error.isRetryable)), ("retry_after", .seconds(error.retryAfter)),
      ("details", .record(error.details.map { ($0.key, .string(cleanMessage($0.value))) })),
      ("call", .string(error.subject?.call)), ("option", .string(error.subject?.option)),
      ("argument", .integer(error.subject?.argument)), ("problem", .string((error.subject?.problem).map(clean))),
      ("where", .string(error.location)), ("traceback", .string(error.traceback.map(cleanMessage))),
    ])
  }

  private static let denialCode = "permission_denied"

  /// The wait of a raised table, as a detail: `error { message = "…", retry_after = 30 }`.
  private static func wait(in table: LuaTable) -> [String: String] {
    guard let seconds = table["retry_after"].number, seconds.isFinite, seconds >= 0 else { return [:] }
    return ["retry_after": Int64(exactly: seconds).map { "\($0)" } ?? "\(seconds)"]
  }

  private func error(from table: LuaTable) -> LuaError {
    var details: [String: String] = [:]
    for pair in (try? table["details"].table?.pairs) ?? [] {
      if let key = pair.key.string, let value = pair.value.string { details[key] = value }
    }
    details.merge(Self.wait(in: table)) { $1 }
    let subject = table["call"].string.map { call in
      LuaError.Subject(
        call, option: table["option"].string, argument: table["argument"].integer.map { Int($0) },
        table["problem"].string ?? "")
    }
    return LuaError(
      code: table["code"].string ?? "script_error", message: table["message"].string ?? "", hint: table["hint"].string,
      status: table["status"].integer.map { Int($0) }, isRetryable: table["retryable"].isTrue, details: details,
      subject: subject, location: table["where"].string, traceback: table["traceback"].string, value: .table(table))
  }

  /// `import.lua:12: message` in its two parts, where Lua has put the place in front.
  private func splitLocation(_ message: String) -> (String?, String) {
    // Lua cuts the name to 60 bytes; a long message is not searched.
    guard let match = message.prefix(200).prefixMatch(of: #/([^\n]*?:\d+): /#) else { return (nil, message) }
    return (String(match.1), String(message[match.range.upperBound...]))
  }

  /// Notes that a script looked for a name that the API does not have, which is an error only where it is called.
  func miss(_ name: String, in owner: String, _ known: [String]) {
    missed = MissedName(owner: owner, name: name, known: known)
  }

  /// For "attempt to call a nil value (field 'ad')": a near name; nil if the error is about something else.
  func hint(forError message: String) -> String? {
    if let hint = NewcomerHint.text(forError: message) { return hint }
    guard let missed, message.hasPrefix("attempt to "),
      ["field", "method", "global"].contains(where: { message.hasSuffix("nil value (\($0) '\(missed.name)')") })
    else { return nil }
    if let near = nearestName(to: missed.name, in: missed.known) {
      return "\(missed.owner) has no '\(missed.name)'; did you mean '\(near)'?"
    }
    return "\(missed.owner) has no '\(missed.name)'; it has \(missed.known.sorted().joined(separator: ", "))"
  }
}

/// A name that the API does not have, and that a script looked for last.
struct MissedName {
  /// The module or the kind of object: `b2c.tasks`, `account`.
  let owner: String
  let name: String
  let known: [String]
}
