import Core
import Glibc
import HostLoop
import Lua
import LuaKit
import Terminal

/// Rows as text with aligned columns, numbers to the right.
@HostActor
struct TextTable {
  private static let gap = 2

  private var header: [StyledText]?
  private var rows: [[StyledText]] = []
  private var isNumeric: [Bool] = []
  /// The position of the column that becomes narrower on a narrow terminal.
  private var flexible: Int?

  init(_ arguments: Arguments) throws {
    let options = try TableOptions(arguments)
    let elements = try arguments[0].table?.elements ?? []
    var columns = options.columns
    if columns.isEmpty {
      var names: Set<String> = []
      for element in elements { names.formUnion(try element.table?.pairs.compactMap(\.key.string) ?? []) }
      // Sorted, so that the table looks the same each time.
      columns = names.sorted()
    }
    let meter = WorkMeter(arguments.state)
    header = columns.isEmpty ? nil : columns.map { StyledText($0.displayable) }
    if let name = options.shortened {
      flexible = columns.firstIndex(of: name)
      if flexible == nil { throw arguments.failure(option: "shorten", "there is no column '\(name)'") }
    }
    for (offset, element) in elements.enumerated() {
      guard let row = element.table else {
        throw arguments.failure("row \(offset + 1): expected a table, got \(element.typeName)")
      }
      let cells = try columns.isEmpty ? row.sequence : columns.map { row[$0] }
      try meter.count(cells.count << 8)
      rows.append(try cells.map { cell throws(LuaError) in try Self.text(of: cell, arguments, row: offset + 1) })
      for (column, cell) in cells.enumerated() {
        if column >= isNumeric.count { isNumeric.append(true) }
        if cell.number == nil, !cell.isNil { isNumeric[column] = false }
      }
    }
  }

  private static func text(of cell: LuaValue, _ arguments: Arguments, row: Int) throws(LuaError) -> StyledText {
    if cell.isNil { return StyledText("") }
    if let table = cell.table, !table["style"].isNil {
      var styled = try StyledText(cell, arguments, at: "row \(row)")
      styled.text = Redaction.forScripts(styled.text).displayable
      return styled
    }
    return StyledText(arguments.state.text(of: cell).displayable)
  }

  var text: String {
    let terminal = TerminalScreen(of: STDOUT_FILENO)
    return text(columns: terminal?.columns) { cell in
      terminal == nil ? cell.text : cell.style.painted(cell.text, usesColor: TerminalScreen.isColorWanted)
    }
  }

  private func text(columns: Int?, _ show: (StyledText) -> String) -> String {
    let lines = (header.map { [$0] } ?? []) + rows
    let widths = widths(of: lines, columns: columns)
    return lines.map { line in
      var cells: [String] = []
      for (column, cell) in line.enumerated() {
        var cell = cell
        if column == flexible { cell.text = cell.text.clipped(to: widths[column]) }
        let padding = String(repeating: " ", count: max(0, widths[column] - cell.text.displayWidth))
        let isLast = line[(column + 1)...].allSatisfy(\.text.isEmpty)
        if column < isNumeric.count && isNumeric[column] {
          cells.append(padding + show(cell))
        } else {
          cells.append(show(cell) + (isLast ? "" : padding))
        }
        if isLast { break }
      }
      return cells.joined(separator: String(repeating: " ", count: Self.gap)) + "\n"
    }.joined()
  }

  private func widths(of lines: [[StyledText]], columns: Int?) -> [Int] {
    let count = lines.map(\.count).max() ?? 0
    var widths = (0..<count).map { column in
      lines.map { column < $0.count ? $0[column].text.displayWidth : 0 }.max() ?? 0
    }
    if let flexible, let columns {
      let tooMuch = widths.reduce(0, +) + Self.gap * (count - 1) - columns
      let least = min(widths[flexible], max(header?[flexible].text.displayWidth ?? 0, 8))
      if tooMuch > 0 { widths[flexible] = max(least, widths[flexible] - tooMuch) }
    }
    return widths
  }
}

/// Styled text in Lua is a table, `{ "text", style = "bold red" }`, as `term.style` makes it.
extension StyledText {
  /// - Parameter place: begins the message about a value of another type.
  @HostActor init(_ value: LuaValue, _ arguments: Arguments, at place: @autoclosure () -> String) throws(LuaError) {
    if let table = value.table, let words = table["style"].string, let text = Self.text(table[.integer(1)]) {
      self.init(text, try TextStyle(words, arguments, at: place()))
    } else if let text = Self.text(value) {
      self.init(text)
    } else {
      let got = value.table == nil ? value.typeName : "a table without style"
      throw arguments.failure("\(place()): expected a text, or { \"text\", style = \"bold\" }, got \(got)")
    }
  }

  @HostActor private static func text(_ value: LuaValue) -> String? {
    switch value {
    case .integer(let number): "\(number)"
    case .number(let number): LuaNumber.text(number)
    default: value.string
    }
  }

  /// As standard output gets it: in its style on a terminal, as it is elsewhere. `print` of a stock command is a door to the
  /// terminal, which knows painted texts alone.
  func forOutput(ofStockCommand isStock: Bool) -> String {
    guard isatty(STDOUT_FILENO) == 1 else { return text }
    let usesColor = TerminalScreen.isColorWanted
    return isStock
      ? style.painted(text.displayable, usesColor: usesColor)
      : style.applied(to: text.displayable, usesColor: usesColor)
  }
}

extension TextStyle {
  @HostActor init(_ words: String, _ arguments: Arguments, at place: @autoclosure () -> String) throws(LuaError) {
    do throws(UnknownStyle) { try self.init(words) } catch {
      throw arguments.failure("\(place()): \(error.message)", hint: error.hint)
    }
  }
}

extension [StyledText] {
  /// A line: a text, styled or not, or a list of such pieces.
  @HostActor init(line value: LuaValue, number: Int, _ arguments: Arguments) throws(LuaError) {
    guard let table = value.table, table["style"].isNil else {
      self = [try StyledText(value, arguments, at: "line \(number)")]
      return
    }
    self = []
    for (offset, piece) in try table.elements.enumerated() {
      append(try StyledText(piece, arguments, at: "line \(number), piece \(offset + 1)"))
    }
  }
}

/// The options of `term.table`.
struct TableOptions: LuaOptions {
  var columns: [String] = []
  var shortened: String?

  static let fields: [Field] = [
    .init("columns", \.columns, .list(of: .string), "The columns to show, in order.") { value, _ in
      try value.table?.texts ?? []
    },
    .init(
      "shorten", \.shortened, "The column that is shortened if the terminal is too narrow for all columns."),
  ]
}
