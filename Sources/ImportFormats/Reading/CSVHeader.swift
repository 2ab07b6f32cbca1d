import Core

/// The first row of a CSV file: the names of the columns, without spaces around them and without invisible characters.
package final class CSVHeader: Sendable {
  package let names: [String]
  /// The column with the reasons of earlier failures, in a file of failed rows.
  let failureColumn: Int?
  /// True if cells have guards against spreadsheets; see `SpreadsheetGuard`.
  let isGuarded: Bool
  private let path: String
  private let indices: [String: Int]

  /// The header of the first row itself.
  static let none = CSVHeader()

  private init() { (names, failureColumn, isGuarded, path, indices) = ([], nil, false, "", [:]) }

  /// - Parameter repeatsNames: true to number columns of one name, instead of an error.
  init(names: [String], path: String, line: Int, repeatsNames: Bool = false) throws(ImportError) {
    let visible = names.map(ColumnNames.visible)
    self.names = repeatsNames ? Self.numbered(visible) : visible
    self.path = path
    failureColumn = self.names.firstIndex(of: JSONRecord.failureName)
    isGuarded = self.names.contains(SpreadsheetGuard.column)
    var indices: [String: Int] = [:]
    for (index, name) in self.names.enumerated() where !name.isEmpty {
      if let first = indices.updateValue(index, forKey: name) {
        throw ImportError(
          kind: .duplicateColumn,
          message: "\(path):\(line): the columns \(first + 1) and \(index + 1) have the same name, \"\(name)\"",
          line: line)
      }
    }
    self.indices = indices
  }

  private static func numbered(_ names: [String]) -> [String] {
    var counts: [String: Int] = [:]
    return names.map { name in
      counts[name, default: 0] += 1
      guard let count = counts[name], count > 1, !name.isEmpty else { return name }
      return "\(name) (\(count))"
    }
  }

  /// True for a column that is no part of the list: the reasons of failures, and the mark of guards.
  static func isOwn(_ name: String) -> Bool { name == JSONRecord.failureName || name == SpreadsheetGuard.column }

  /// The column's position, counting from 0; nil if there is none of that name.
  package func index(of name: String) -> Int? { indices[name] }

  /// The column's position. Throws an error that lists the columns.
  package func column(named name: String) throws(ImportError) -> Int {
    if let index = indices[name] { return index }
    throw ImportError(
      kind: .missingColumn, message: "\(path) has no column \"\(name)\": its columns are \(names.quotedList)",
      hint: nearestName(to: name, in: names).map { "did you mean \"\($0)\"?" })
  }
}

extension Sequence<String> {
  var quotedList: String { map { "\"\($0)\"" }.joined(separator: ", ") }
}
