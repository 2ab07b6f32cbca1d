import Core

/// The error of text that is not JSON, or is larger or deeper than this program accepts.
package struct JSONError: Failure {
  /// The problem, without the place.
  package var reason: String
  /// Counted from 1; nil if the problem has no single place.
  package var line: Int?
  /// Counted from 1, in characters, at the end of the offending token.
  package var column: Int?
  /// The number of bytes before the place; nil if the parser does not tell.
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
