import Diagnostics
import HostLoop
import Lua

/// Rows as text with aligned columns, numbers to the right.
@HostActor
struct TextTable {
  private var header: [String]?
  private var rows: [[String]] = []
  private var isNumeric: [Bool] = []

  /// Reads the arguments of `term.table`.
  init(_ arguments: Arguments) throws(LuaError) {
    let elements = arguments[0].table?.elements ?? []
    var columns = (arguments["columns"].table?.elements ?? []).compactMap(\.string)
    if columns.isEmpty {
      // Without an order given: the names that occur, sorted, so that the table looks the same each time.
      var names = Set<String>()
      for element in elements {
        for pair in element.table?.pairs ?? [] { if let name = pair.key.string { names.insert(name) } }
      }
      columns = names.sorted()
    }
    header = columns.isEmpty ? nil : columns
    for (offset, element) in elements.enumerated() {
      guard let row = element.table else {
        throw arguments.failure("row \(offset + 1): expected a table, got \(element.typeName)")
      }
      let cells = columns.isEmpty ? row.elements : columns.map { row[$0] }
      rows.append(cells.map { $0.isNil ? "" : Self.oneLine(arguments.state.text(of: $0)) })
      for (column, cell) in cells.enumerated() {
        if column >= isNumeric.count { isNumeric.append(true) }
        if cell.number == nil, !cell.isNil { isNumeric[column] = false }
      }
    }
  }

  var text: String {
    let lines = (header.map { [$0] } ?? []) + rows
    let count = lines.map(\.count).max() ?? 0
    let widths = (0..<count).map { column in lines.map { column < $0.count ? $0[column].displayWidth : 0 }.max() ?? 0 }
    return lines.map { line in
      let cells = line.enumerated().map { column, cell in
        let padding = String(repeating: " ", count: max(0, widths[column] - cell.displayWidth))
        return column < isNumeric.count && isNumeric[column] ? padding + cell : cell + padding
      }
      var text = cells.joined(separator: "  ")
      while text.last == " " { text.removeLast() }
      return text + "\n"
    }.joined()
  }

  private static func oneLine(_ text: String) -> String {
    text.replacing("\r\n", with: "⏎").replacing("\n", with: "⏎").replacing("\t", with: " ")
  }
}
