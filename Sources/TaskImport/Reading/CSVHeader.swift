import Diagnostics

/// The first row of a CSV file: the columns' names, spaces around them taken off.
package final class CSVHeader: Sendable {
  package let names: [String]
  private let path: String
  private let indices: [String: Int]

  /// Names that task lists give the column with the text, in lower case.
  private static let textNames: Set<String> = ["text", "title", "task", "name", "description"]

  /// That of the header itself.
  static let none = CSVHeader()

  private init() {
    (names, path, indices) = ([], "", [:])
  }

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

  /// The column with the task's text: the one called `Text` (in any letter case), else the only one with a usual name,
  /// else the only one there is.
  package func textColumn() throws(ImportError) -> Int {
    let candidates = names.indices.filter { Self.textNames.contains(names[$0].lowercased()) }
    let exact = candidates.filter { names[$0].lowercased() == "text" }
    if let index = single(exact) ?? single(candidates) { return index }
    if candidates.count > 1 {
      throw ImportError(
        kind: .ambiguousColumn,
        message: "\(path): the text may be in the columns "
          + candidates.map { "\"\(names[$0])\"" }.joined(separator: " or "),
        hint: "say which with map = function(row) return { text = row[\"\(names[candidates[0]])\"] } end")
    }
    guard names.count == 1 else {
      throw ImportError(
        kind: .missingColumn, message: "\(path) has no column called \"Text\": its columns are \(list)",
        hint: "say which holds the text with map = function(row) return { text = row[\"\(names[0])\"] } end")
    }
    if let separator = names[0].first(where: { $0 == ";" || $0 == "\t" || $0 == "|" }) {
      throw ImportError(
        kind: .missingColumn, message: "\(path) has a single column, called \"\(names[0])\"",
        hint: "is the separator \(separator == "\t" ? "a tab" : "'\(separator)'")?")
    }
    return 0
  }

  private var list: String {
    names.map { "\"\($0)\"" }.joined(separator: ", ")
  }

  private func single(_ indices: [Int]) -> Int? {
    indices.count == 1 ? indices[0] : nil
  }
}

extension String {
  fileprivate var trimmingSpaces: Substring {
    guard let first = firstIndex(where: { !$0.isWhitespace }), let last = lastIndex(where: { !$0.isWhitespace })
    else { return "" }
    return self[first...last]
  }
}
