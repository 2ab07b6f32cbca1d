/// A JSON value (RFC 8259). Integers and other numbers stay distinct, as they do in Lua.
package enum JSON: Sendable, Hashable {
  case null
  case bool(Bool)
  case integer(Int64)
  case number(Double)
  case string(String)
  case array([JSON])
  case object([String: JSON])
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
  package init(stringLiteral value: String) { self = .string(value) }
  package init(integerLiteral value: Int64) { self = .integer(value) }
  package init(floatLiteral value: Double) { self = .number(value) }
  package init(booleanLiteral value: Bool) { self = .bool(value) }
  package init(arrayLiteral elements: JSON...) { self = .array(elements) }
  package init(dictionaryLiteral elements: (String, JSON)...) {
    self = .object(Dictionary(elements) { _, last in last })
  }
  package init(nilLiteral: ()) { self = .null }
}

extension JSON {
  /// The member of an object; nil if this is no object or has no such member.
  package subscript(_ name: String) -> JSON? {
    if case .object(let members) = self { members[name] } else { nil }
  }

  package var string: String? { if case .string(let value) = self { value } else { nil } }
  package var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
  package var array: [JSON]? { if case .array(let value) = self { value } else { nil } }
  package var object: [String: JSON]? { if case .object(let value) = self { value } else { nil } }

  /// The number, a whole one too.
  package var anyNumber: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .number(let value): value
    default: nil
    }
  }

  /// A whole number. `3600.0` and the string `"3600"`, which some providers send, count too.
  package var lenientInteger: Int64? {
    switch self {
    case .integer(let value): value
    case .number(let value): Int64(exactly: value)
    case .string(let value): Int64(value)
    default: nil
    }
  }
}
