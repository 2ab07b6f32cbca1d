import Core
import ImportFormats
import JSON
import TaskAPI

/// A row of CSV a task, under a header.
struct SeparatedTaskWriter: TaskWriter {
  private let cells: SeparatedCells
  /// True to guard the cells that a spreadsheet would run.
  private let isGuarded: Bool
  private var rows = 0
  private var formulas = 0
  /// The column and the row of the first formula, and its beginning.
  private var firstFormula: (column: String, row: Int, text: String)?

  init(separator: UInt8, isGuarded: Bool = false) {
    cells = SeparatedCells(separator: separator)
    self.isGuarded = isGuarded
  }

  static let columns = ["id", "text", "completed", "owner", "date"] + TaskField.further.map(\.rawValue) + ["list_name"]

  func begin(_ output: inout [UInt8]) {
    cells.append(Self.columns + (isGuarded ? [SpreadsheetGuard.column] : []), to: &output)
  }

  mutating func add(_ task: APITask, to output: inout [UInt8]) {
    var fields =
      [task.writtenID ?? "", task.text, task.completed ? "true" : "false", task.owner ?? "", task.date ?? ""]
      + TaskField.further.map { task.value(of: $0).map(Self.cell) ?? "" } + [task.listName ?? ""]
    rows += 1
    for (index, field) in fields.enumerated() where SpreadsheetGuard.isFormula(field) {
      formulas += 1
      firstFormula = firstFormula ?? (Self.columns[index], rows, field.clipped(to: 40))
    }
    if isGuarded { fields = fields.map(SpreadsheetGuard.guarded) + [""] }
    cells.append(fields, to: &output)
  }

  var notes: [String] {
    guard !isGuarded, let first = firstFormula else { return [] }
    let begin = formulas == 1 ? "1 cell begins" : "\(formulas) cells begin"
    return [
      "\(begin) like a formula, which a spreadsheet would run, first the \(first.column) of row \(first.row): "
        + "\"\(first.text)\"; --for-spreadsheet (for_spreadsheet = true in a script) guards such cells"
    ]
  }

  /// Labels with commas between them.
  private static func cell(_ value: JSON) -> String {
    value.array.map { $0.map { $0.string ?? $0.encoded() }.joined(separator: ",") } ?? value.string ?? value.encoded()
  }
}
