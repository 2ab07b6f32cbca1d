import JSON
import SQL

extension SQLValue {
  static func list(_ texts: [String]) -> SQLValue {
    .text(JSON.array(texts.map { .string($0) }).encoded())
  }

  /// A text that somebody else may have written. PostgreSQL stores no NUL.
  init(stored text: String?) { self.init(text?.replacing("\u{0}", with: "\u{FFFD}")) }

  var texts: [String] { JSON(stored: self)?.array?.compactMap(\.string) ?? [] }
}

extension JSON {
  /// The value of a JSON text in the store; nil for null.
  init?(stored value: SQLValue) {
    guard let text = value.text, let json = try? JSON(parsing: text) else { return nil }
    self = json
  }
}
