import Core
package import HostLoop
package import JSON

/// `json.null`: JSON's null inside tables, where Lua's nil would be no entry at all.
package final class JSONNull: LuaObject {
  package static let shared = JSONNull()
  package static let luaType = HostType("null", "JSON's null.", describe: { _ in "null" })
}

/// Converts between JSON and Lua values. Null and empty arrays survive both ways.
@HostActor
package struct JSONMarshal {
  /// Marks a table as a JSON array, also when it is empty.
  package let arrayMetatable: LuaTable

  /// The deepest table that is not refused; a table that contains itself is deeper.
  private static let deepest = 200

  private let state: LuaState

  package init(_ state: LuaState) {
    self.state = state
    arrayMetatable = state.makeTable()
    arrayMetatable["__name"] = .string("json.array")
  }

  /// The value of a JSON text.
  package func value(parsing text: inout [UInt8]) throws(JSONError) -> LuaValue {
    // The quick way, for correct text; the other one describes the error.
    if let value = quickValue(&text) { return value }
    guard !state.mustStop else { throw JSONError(reason: "reading it was interrupted") }
    return value(try JSON(parsing: text))
  }

  /// The value of a JSON text; nil for an incorrect text.
  package func quickValue(_ text: inout [UInt8]) -> LuaValue? {
    state.value(ofJSON: &text, null: JSONNull.shared, arrays: arrayMetatable, deepest: JSON.maximumDepth)
  }

  /// Objects become tables, arrays sequences marked as such, null `json.null`.
  ///
  /// With `keepsBytes`, texts are those of paths and bodies, whose bytes may be no UTF-8.
  package func value(_ json: JSON, keepsBytes: Bool = false) -> LuaValue {
    switch json {
    case .null: .object(JSONNull.shared)
    case .bool(let value): .boolean(value)
    case .integer(let value): .integer(value)
    case .number(let value): .number(value)
    case .string(let value): keepsBytes ? .path(value) : .string(value)
    case .array(let elements): .list(elements.map { value($0, keepsBytes: keepsBytes) }, metatable: arrayMetatable)
    case .object(let members): .record(members.map { ($0.key, value($0.value, keepsBytes: keepsBytes)) })
    }
  }

  /// As `value`, but null becomes nil: for fields that are simply absent.
  package func optional(_ json: JSON?) -> LuaValue {
    if let json, json != .null { value(json) } else { .nil }
  }

  /// Sequences become arrays, other tables objects. Throws for a value without JSON, with its place: `tasks[3].owner`.
  package func json(_ value: LuaValue, at path: @autoclosure () -> String = "value") throws(LuaError) -> JSON {
    try json(value, at: path(), depth: 0, WorkMeter(state))
  }

  /// The JSON text of a value, as bytes.
  package func text(_ value: LuaValue, at path: @autoclosure () -> String = "value", pretty: Bool = false)
    throws(LuaError) -> [UInt8]
  {
    let meter = WorkMeter(state)
    let json = try json(value, at: path(), depth: 0, meter)
    var failure: LuaError?
    let text = json.bytes(pretty: pretty) { count in
      do throws(LuaError) { try meter.count(count) } catch { failure = error }
      return failure == nil
    }
    if let failure { throw failure }
    return text ?? []
  }

  private func json(_ value: LuaValue, at path: @autoclosure () -> String, depth: Int, _ meter: WorkMeter)
    throws(LuaError) -> JSON
  {
    switch value {
    case .nil: return .null
    case .boolean(let value): return .bool(value)
    case .integer(let value): return .integer(value)
    case .number(let number):
      guard number.isFinite else { throw unsayable(path(), "is \(number), which JSON has no number for") }
      return .number(number)
    case .bytes(let bytes):
      try meter.count(bytes.count)
      guard let text = String(validating: bytes, as: UTF8.self) else {
        throw unsayable(path(), "is a string that is not UTF-8: \(String.foreignByte(in: bytes))")
      }
      return .string(text)
    case .object(let object) where object is JSONNull: return .null
    case .table(let table):
      guard depth < Self.deepest else {
        throw unsayable("\(path().prefix(60))…", "is nested too deeply, or contains itself")
      }
      // A million tables take more than a second.
      try meter.count(1 << 10)
      return try json(table, at: path(), depth: depth, meter)
    default: throw unsayable(path(), "is a \(value.typeName), which JSON has nothing for")
    }
  }

  private func json(_ table: LuaTable, at path: @autoclosure () -> String, depth: Int, _ meter: WorkMeter)
    throws(LuaError) -> JSON
  {
    // Before they are copied: one string may stand at many places.
    if state.memoryLeft < .max { try state.check(holding: 2 * table.textSize) }
    let pairs = try table.pairs
    if pairs.isEmpty { try table.demandPlain() }
    let elements = Self.elements(pairs)
    if elements == nil || pairs.isEmpty, table.metatable?.isSame(as: arrayMetatable) == true {
      guard pairs.isEmpty else { throw unsayable(path(), "is an array with holes or names") }
      return .array([])
    }
    if let elements, !elements.isEmpty {
      var array: [JSON] = []
      array.reserveCapacity(elements.count)
      for element in elements {
        array.append(try json(element, at: "\(path())[\(array.count + 1)]", depth: depth + 1, meter))
      }
      return .array(array)
    }
    var members: [String: JSON] = [:]
    for pair in pairs {
      guard let name = try pair.key.text(at: "\(path()): a name") else {
        throw unsayable(
          path(), "has a \(pair.key.typeName) as a key; give an object names only, or a sequence without holes")
      }
      guard !name.utf8.contains(0) else { throw unsayable(path(), "has a name with a NUL character") }
      let value = try json(pair.value, at: "\(path()).\(name)", depth: depth + 1, meter)
      guard members.updateValue(value, forKey: name) == nil else {
        throw unsayable(path(), "has the name \(name) twice, with the same letters in other code points")
      }
    }
    return .object(members)
  }

  /// The values in order, if the keys are 1, 2, … without any other key.
  private static func elements(_ pairs: [(key: LuaValue, value: LuaValue)]) -> [LuaValue]? {
    func position(_ pair: (key: LuaValue, value: LuaValue)) -> Int? {
      if case .integer(let key) = pair.key, key >= 1, key <= pairs.count { Int(key) - 1 } else { nil }
    }
    var elements = pairs.map(\.value)
    for (offset, pair) in pairs.enumerated() {
      guard let position = position(pair) else { return nil }
      // Mostly they come in order. Each position is there once, since each key is.
      if position != offset { elements[position] = pair.value }
    }
    return elements
  }

  private func unsayable(_ path: String, _ problem: String) -> LuaError {
    LuaError(code: "invalid_json_value", message: "\(path) \(problem)")
  }
}
