import Core

/// The first row of a CSV file: the columns' names, spaces around them taken off.
package final class CSVHeader: Sendable {
  package let names: [String]
  private let path: String
  private let indices: [String: Int]

  /// That of the header itself.
  static let none = CSVHeader()

  private init() { (names, path, indices) = ([], "", [:]) }

  init(names: [String], path: String, line: Int) throws(ImportError) {
    self.names = names.map { String($0.trimmingSpaces) }
    self.path = path
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

  /// A column's position, counting from 0; nil when there is none of that name.
  package func index(of name: String) -> Int? { indices[name] }

  /// A column's position, or an error that lists the columns there are.
  package func column(named name: String) throws(ImportError) -> Int {
    if let index = indices[name] { return index }
    throw ImportError(
      kind: .missingColumn, message: "\(path) has no column \"\(name)\": its columns are \(list)",
      hint: nearestName(to: name, in: names).map { "did you mean \"\($0)\"?" })
  }

  private var list: String { names.map { "\"\($0)\"" }.joined(separator: ", ") }
}

extension String {
  fileprivate var trimmingSpaces: Substring {
    guard let first = firstIndex(where: { !$0.isWhitespace }), let last = lastIndex(where: { !$0.isWhitespace })
    else { return "" }
    return self[first...last]
  }
}
