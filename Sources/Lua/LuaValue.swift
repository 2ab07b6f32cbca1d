import Core
import HostLoop

/// A Lua value as Swift sees it. Integers and floats stay distinct; strings are bytes. `list` and `record` are for
/// building only: they become fresh tables when they are pushed, without a reference for each.
package enum LuaValue: Sendable {
  case `nil`
  case boolean(Bool)
  case integer(Int64)
  case number(Double)
  case bytes([UInt8])
  case table(LuaTable)
  case function(LuaFunction)
  case object(any LuaObject)
  /// A light userdata (`json.null`), thread or foreign userdata.
  case other(LuaReference)

  /// Becomes a new sequence, with the metatable if one is given.
  indirect case list([LuaValue], metatable: LuaTable? = nil)
  /// Becomes a new table of these fields; a field that is nil is left out.
  indirect case record([(name: String, value: LuaValue)])

  /// A string; nil becomes `nil`.
  package static func string(_ text: String?) -> LuaValue { text.map { .bytes(Array($0.utf8)) } ?? .nil }
  /// A path, an argument or a variable of the system: its bytes; nil becomes `nil`.
  package static func path(_ text: String?) -> LuaValue { text.map { .bytes($0.pathBytes) } ?? .nil }
  /// A whole number; nil becomes `nil`.
  package static func integer(_ value: Int?) -> LuaValue { value.map { .integer(Int64($0)) } ?? .nil }

  /// Whole seconds as an integer, so that a script can write them with `%d`; nil as nil.
  package static func seconds(_ value: Double?) -> LuaValue {
    value.map { seconds in Int64(exactly: seconds).map { .integer($0) } ?? .number(seconds) } ?? .nil
  }

  /// The bytes of a string as text, those that are no UTF-8 replaced; nil for anything else.
  package var string: String? {
    if case .bytes(let bytes) = self { String(decoding: bytes, as: UTF8.self) } else { nil }
  }

  /// The bytes of a string as the text of a path; nil for anything else.
  package var path: String? { if case .bytes(let bytes) = self { String(pathBytes: bytes) } else { nil } }

  /// An integer, or a float that is exactly one.
  package var integer: Int64? {
    switch self {
    case .integer(let value): value
    case .number(let value): Int64(exactly: value)
    default: nil
    }
  }

  /// Any number as a float.
  package var number: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .number(let value): value
    default: nil
    }
  }

  package var boolean: Bool? { if case .boolean(let value) = self { value } else { nil } }
  package var table: LuaTable? { if case .table(let value) = self { value } else { nil } }
  package var function: LuaFunction? { if case .function(let value) = self { value } else { nil } }
  /// False for a value of another state, such as that of a script that a test has run.
  func belongs(to state: LuaState) -> Bool {
    switch self {
    case .table(let table): table.state === state
    case .function(let function): function.state === state
    case .other(let reference): reference.state === state
    default: true
    }
  }
  package var isNil: Bool { if case .nil = self { true } else { false } }

  /// False for nil and false, as in Lua.
  package var isTrue: Bool {
    switch self {
    case .nil, .boolean(false): false
    default: true
    }
  }

  /// The name of the type, as Lua's `type` returns it, or the name of a host object's type.
  @HostActor package var typeName: String {
    switch self {
    case .nil: "nil"
    case .boolean: "boolean"
    case .integer, .number: "number"
    case .bytes: "string"
    case .table, .list, .record: "table"
    case .function: "function"
    case .object(let object): type(of: object).luaType.name
    case .other(let reference): reference.typeName
    }
  }
}

extension LuaValue {
  /// The text of a string; nil for anything else. Throws for bytes that are not UTF-8, with `place`: `task.text`.
  package func text(at place: @autoclosure () -> String) throws(LuaError) -> String? {
    guard case .bytes(let bytes) = self else { return nil }
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    throw LuaError(
      code: "invalid_utf8", message: "\(place()) is not UTF-8: \(String.foreignByte(in: bytes))",
      hint: "convert the text to UTF-8 first")
  }
}
