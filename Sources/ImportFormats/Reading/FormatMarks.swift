/// The marks of a format in the beginning of its files. Each list has alternatives: one of them must be there as a whole.
package struct FormatMarks: Sendable, Equatable {
  /// Names of columns that stand in one line, wherever that is, in any letter case.
  package var columns: [[String]] = []
  /// Paths of members of a JSON document; see `JSONOutline`.
  package var members: [[String]] = []
  /// Endings of the names of entries of a zip archive.
  package var entries: [[String]] = []

  package init(columns: [[String]] = [], members: [[String]] = [], entries: [[String]] = []) {
    self.columns = columns
    self.members = members
    self.entries = entries
  }

  /// True if each file of the format is a table with these columns.
  package var areColumns: Bool { !columns.isEmpty && members.isEmpty && entries.isEmpty }

  /// The place of the marks in a file; nil if it lacks them.
  package func match(_ head: FormatHead) -> FormatMatch? {
    for names in columns { if let match = head.header(with: names) { return match } }
    if let outline = head.outline, members.contains(where: { outline.paths.isSuperset(of: $0) }) {
      return FormatMatch(isDocument: true)
    }
    let hasEntries = entries.contains { endings in
      endings.allSatisfy { ending in head.entries.contains { $0.hasSuffix(ending) } }
    }
    return hasEntries ? FormatMatch() : nil
  }
}

/// The place where the rows of a recognized file begin.
package struct FormatMatch: Sendable, Equatable {
  /// The sheet of a workbook.
  package var part: String?
  /// The line with the names of the columns.
  package var header: Int?
  package var separator: Character?
  /// True for a JSON document.
  package var isDocument = false

  package init(isDocument: Bool = false) { self.isDocument = isDocument }
}
