import Core

/// The first row of a CSV file: the names of the columns, without spaces around them and without invisible characters.
package final class CSVHeader: Sendable {
  /// The names, each once: the second `Labels` is `Labels 2`.
  package let names: [String]
  /// The names as the file has them.
  let written: [String]
  /// The positions of the columns that have one name, by that name.
  let repeats: [String: [Int]]
  /// The column with the reasons of earlier failures, in a file of failed rows.
  let failureColumn: Int?
  /// True if cells have guards against spreadsheets; see `SpreadsheetGuard`.
  let isGuarded: Bool
  private let path: String
  private let indices: [String: Int]

  /// The header of the first row itself.
  static let none = CSVHeader()

  private init() {
    (names, written, repeats, failureColumn, isGuarded, path, indices) = ([], [], [:], nil, false, "", [:])
  }

  init(names written: [String], path: String) {
    let written = written.map(ColumnNames.visible)
    self.path = path
    self.written = written
    failureColumn = written.firstIndex(of: JSONRecord.failureName)
    isGuarded = written.contains(SpreadsheetGuard.column)
    var names: [String] = []
    var indices: [String: Int] = [:]
    var places: [String: [Int]] = [:]
    for (index, name) in written.enumerated() {
      // A file of failed rows has the names that this gives.
      let base = failureColumn == nil ? name : Self.base(of: name, among: indices)
      let number = (places[base]?.count ?? 0) + 1
      var unique = number > 1 && !name.isEmpty ? "\(base) \(number)" : name
      while !unique.isEmpty, indices[unique] != nil { unique += "'" }
      if !name.isEmpty {
        indices[unique] = index
        places[base, default: []].append(index)
      }
      names.append(unique)
    }
    self.names = names
    self.indices = indices
    repeats = places.filter { $0.value.count > 1 }
  }

  /// `Labels` for `Labels 2` behind `Labels`.
  private static func base(of name: String, among earlier: [String: Int]) -> String {
    guard let space = name.lastIndex(of: " "), Int(name[space...].dropFirst()) ?? 0 > 1 else { return name }
    let base = String(name[..<space])
    return earlier[base] == nil ? name : base
  }

  /// True for a column that does not belong to the list: the reasons of failures, and the mark of guards.
  package static func isOwn(_ name: String) -> Bool {
    name == JSONRecord.failureName || name == SpreadsheetGuard.column
  }

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
