/// A value of a database.
package enum SQLValue: Sendable, Hashable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])

  /// Text, or null for nil.
  package init(_ text: String?) { self = text.map(SQLValue.text) ?? .null }

  /// An integer, or null for nil.
  package init(_ integer: Int64?) { self = integer.map(SQLValue.integer) ?? .null }

  /// A number with a fraction, or null for nil.
  package init(_ real: Double?) { self = real.map(SQLValue.real) ?? .null }

  /// The integer; nil for every other kind of value.
  package var integer: Int64? { if case .integer(let value) = self { value } else { nil } }
  /// The number, an integer's too.
  package var real: Double? {
    switch self {
    case .real(let value): value
    case .integer(let value): Double(value)
    default: nil
    }
  }
  package var text: String? { if case .text(let value) = self { value } else { nil } }
  package var blob: [UInt8]? { if case .blob(let value) = self { value } else { nil } }
  package var isNull: Bool { self == .null }
}

extension SQLValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByNilLiteral
{
  package init(stringLiteral value: String) { self = .text(value) }
  package init(integerLiteral value: Int64) { self = .integer(value) }
  package init(floatLiteral value: Double) { self = .real(value) }
  package init(nilLiteral: ()) { self = .null }
}
