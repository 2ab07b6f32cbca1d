import Core
package import ImportFormats
package import JSON
package import TaskAPI

/// A task that a dry run has found in its source.
package struct CheckedTask: Sendable {
  /// Counting from 1.
  let row: Int
  let line: Int?
  let draft: TaskDraft

  package init(_ record: SourceRecord, _ draft: TaskDraft) {
    row = record.number
    line = record.line
    self.draft = draft
  }

  /// The line in the file of a dry run: `{"line":2,"row":1,"task":{"text":"Milk"}}`.
  package var json: JSON {
    var members: [String: JSON] = ["row": .integer(Int64(row)), "task": task]
    members["line"] = line.map { .integer(Int64($0)) }
    return .object(members)
  }

  private var task: JSON {
    guard let id = draft.sourceID, var task = draft.original.object else { return draft.original }
    task["source_id"] = .string(id)
    return .object(task)
  }

  /// The value of a field in one line of text; empty without a value.
  func shown(_ field: String) -> String {
    guard field != TaskField.text.rawValue else { return draft.text.displayable }
    guard let value = draft.fields[field] else { return "" }
    let words = value.array?.map(\.plainText).joined(separator: ", ")
    return (words ?? value.plainText).displayable
  }
}

/// The first tasks of a dry run as a table for a terminal.
enum CheckedTaskTable {
  private static let width = 80
  private static let gap = "  "
  private static let leastColumn = 8

  /// The lines of the table, each with the gap of the summary before it.
  static func lines(_ tasks: [CheckedTask]) -> [String] {
    guard !tasks.isEmpty else { return [] }
    let used = Set(tasks.flatMap(\.draft.fields.keys))
    let common = TaskField.allCases.map(\.rawValue).filter { $0 == TaskField.text.rawValue || used.contains($0) }
    let fields = common + used.subtracting(common).sorted()
    var columns = fields.map { field in Column(name: field, cells: tasks.map { $0.shown(field) }) }
    let rows = Column(name: "row", cells: tasks.map { String($0.row) })
    let room = width - rows.width
    var hidden: [String] = []
    while true {
      let needed = columns.reduce(0) { $0 + gap.count + $1.width } + gap.count
      if needed <= room { break }
      let widest = columns.indices.max { columns[$0].width < columns[$1].width }
      if let widest, columns[widest].width > leastColumn {
        columns[widest].width -= 1
      } else {
        hidden.insert(columns.removeLast().name, at: 0)
      }
    }
    let table = [nil] + tasks.indices.map { Optional($0) }
    let lines = table.map { row in
      let cells = [rows.cell(row, isRight: true)] + columns.map { $0.cell(row, isRight: false) }
      return String((gap + cells.joined(separator: gap))[...].reversed().drop { $0 == " " }.reversed())
    }
    return lines + (hidden.isEmpty ? [] : ["\(gap)and in each row: \(hidden.joined(separator: ", "))"])
  }

  private struct Column {
    let name: String
    let cells: [String]
    var width: Int

    init(name: String, cells: [String]) {
      (self.name, self.cells) = (name, cells)
      width = ([name] + cells).map(\.displayWidth).max() ?? 0
    }

    /// - Parameter row: nil for the name of the column.
    func cell(_ row: Int?, isRight: Bool) -> String {
      let text = (row.map { cells[$0] } ?? name).clipped(to: width)
      let rest = String(repeating: " ", count: max(0, width - text.displayWidth))
      return isRight ? rest + text : text + rest
    }
  }
}
