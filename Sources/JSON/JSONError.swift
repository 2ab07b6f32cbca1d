import Core

/// Text that is not JSON, or more than this program accepts of it.
package struct JSONError: Failure {
  /// What is wrong, without the place.
  package var reason: String
  /// Counted from 1; nil where no single place is to blame.
  package var line: Int?
  /// Counted from 1, in characters, at the end of the offending token.
  package var column: Int?
  /// Bytes of the text before the place; nil where the parser does not say.
  package var offset: Int?

  package init(reason: String, line: Int? = nil, column: Int? = nil, offset: Int? = nil) {
    self.reason = reason
    self.line = line
    self.column = column
    self.offset = offset
  }

  package var code: String { "invalid_json" }

  package var message: String {
    guard let line, let column else { return "not valid JSON: \(reason)" }
    return "not valid JSON at line \(line), column \(column): \(reason)"
  }

  package var details: [String: String] {
    guard let line, let column else { return [:] }
    var details = ["line": String(line), "column": String(column)]
    details["offset"] = offset.map { String($0) }
    return details
  }
}
