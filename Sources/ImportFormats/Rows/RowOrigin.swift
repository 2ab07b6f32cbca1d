import JSON

/// A row that failed in an earlier import, as a file of failed rows names it. A table has its name in its journal,
/// `<ID of the journal>-<number>`, which is also the beginning of its idempotency key. An object has its number and the reason.
package struct RowOrigin: Sendable, Hashable {
  /// The member of `_import` with the names of rows whose correction has failed again.
  static let name = "from"

  /// Nil for an object.
  package let journal: String?
  package let row: Int
  package let reason: String?

  package init(journal: String, row: Int) {
    self.journal = journal
    self.row = row
    reason = nil
  }

  private init(row: Int, reason: String) {
    journal = nil
    self.row = row
    self.reason = reason
  }

  /// Reads the name of a row; nil for another text.
  package init?(_ text: some StringProtocol) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, ImportID.isID(String(parts[0])), let row = Int(parts[1]), row > 0 else { return nil }
    self.init(journal: String(parts[0]), row: row)
  }

  /// The name of the row; nil if only its number is known.
  var text: String? { journal.map { "\($0)-\(row)" } }

  /// The origins in the member `_import` of an object.
  static func of(_ value: JSON) -> [RowOrigin] {
    guard case .object(let members) = value, let failure = members[JSONRecord.failureName] else { return [] }
    var own: RowOrigin?
    if case .integer(let row) = failure["row"], row > 0, let reason = failure["reason"]?.string {
      own = RowOrigin(row: Int(row), reason: reason)
    }
    return (failure[name]?.array ?? []).compactMap { $0.string.flatMap { RowOrigin($0) } } + [own].compactMap(\.self)
  }

  /// The origins at the end of a cell of the column `_import`: `row 12: the text is empty [3f…-12]`.
  static func of(cell: String) -> [RowOrigin] {
    guard cell.last == "]", let start = cell.lastIndex(of: "[") else { return [] }
    return cell[cell.index(after: start)...].dropLast().split(separator: " ").compactMap { RowOrigin($0) }
  }

  /// The cell of the column `_import`. It begins with a letter: a spreadsheet runs no reason of a server.
  static func cell(_ failure: RowFailure, _ origins: [RowOrigin]) -> String {
    let place = "row \(failure.row)\(failure.line.map { " (line \($0))" } ?? "")"
    let names = origins.compactMap(\.text)
    // The last brackets have the names. A reason comes from anywhere, and may end with brackets, too.
    let end = names.isEmpty ? (failure.reason.hasSuffix("]") ? "." : "") : " [\(names.joined(separator: " "))]"
    return "\(place): \(failure.reason)\(end)"
  }
}
