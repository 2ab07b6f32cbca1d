import Databases
import JSON

/// The columns of jobs. A value that this program does not write is an error: nothing is computed with it.
extension RowReader {
  /// A time, or a length, in milliseconds.
  func milliseconds(_ column: String) throws(DamagedRow) -> Int64 { try integer(column, in: 0...StoredTime.latest) }

  /// Nil for a null.
  func optionalMilliseconds(_ column: String) throws(DamagedRow) -> Int64? {
    try isNull(column) ? nil : milliseconds(column)
  }

  /// A time in seconds, with a fraction.
  func seconds(_ column: String) throws(DamagedRow) -> Double {
    try real(column, in: 0...Double(StoredTime.latest))
  }

  /// The number of anything that is counted.
  func count(_ column: String) throws(DamagedRow) -> Int { Int(try integer(column, in: 0...Int64(Int32.max))) }

  func texts(_ column: String) throws(DamagedRow) -> [String] {
    guard case .array(let items) = try json(column) else { throw damaged(column, "a list of texts") }
    return try items.map { item throws(DamagedRow) in
      guard let text = item.string else { throw damaged(column, "a list of texts") }
      return text
    }
  }

  /// Nil for a null.
  func optionalTexts(_ column: String) throws(DamagedRow) -> [String]? { try isNull(column) ? nil : texts(column) }

  func runState(_ column: String) throws(DamagedRow) -> RunState {
    guard let state = RunState(rawValue: try text(column)) else { throw damaged(column, "the state of a run") }
    return state
  }
}

extension SQLValue {
  /// The pattern of LIKE, with `\` as its escape, for texts in lower case that contain `text`.
  static func containing(_ text: String) -> SQLValue {
    let text = text.lowercased().replacing("\\", with: "\\\\").replacing("%", with: "\\%").replacing("_", with: "\\_")
    return .text("%\(text.replacing("\u{0}", with: ""))%")
  }

  static func list(_ texts: [String]) -> SQLValue {
    .text(JSON.array(texts.map { .string($0) }).encoded())
  }

  /// A text that somebody else may have written. PostgreSQL stores no NUL.
  init(stored text: String?) { self.init(text?.replacing("\u{0}", with: "\u{FFFD}")) }
}
