import Core
import Foundation

/// The screen of a terminal that receives these bytes: as much of xterm as the program uses. All other sequences are kept in
/// `unknown`, so a test can check that there are none.
package struct ScreenModel {
  package private(set) var columns: Int
  package private(set) var rows: Int
  /// A cell holds a character; the cell after a wide character is empty.
  private var cells: [[String]]
  private var reversed: [[Bool]]
  package private(set) var row = 0
  package private(set) var column = 0
  package private(set) var isCursorShown = true
  /// True while the program uses the alternate screen.
  package private(set) var isAlternate = false
  /// The sequences that this model does not know.
  package private(set) var unknown: [String] = []
  private var isReverse = false
  private var isHidden = false
  private var hasMargins = false
  private var hasSideMargins = false
  private var hasLineDrawing = false
  /// True while the output goes to a printer.
  private var isPrinting = false
  /// The colors that were set and not reset: 10 is the text color, 11 the background color.
  private var colors: Set<String> = []
  private var saved = (row: 0, column: 0)
  private var main: (cells: [[String]], row: Int, column: Int)?
  private var pending: [UInt8] = []

  package init(columns: Int, rows: Int) {
    self.columns = columns
    self.rows = rows
    cells = Array(repeating: Array(repeating: " ", count: columns), count: rows)
    reversed = Array(repeating: Array(repeating: false, count: columns), count: rows)
  }

  package var lines: [String] {
    cells.map { row in
      var line = row.joined()
      while line.last == " " { line.removeLast() }
      return line
    }
  }

  /// True if the output is visible, in the usual characters, on the whole screen.
  package var isPlain: Bool {
    !isHidden && !hasMargins && !hasSideMargins && !hasLineDrawing && !isPrinting && colors.isEmpty
  }

  package var text: String { lines.joined(separator: "\n") }

  /// The rows that are shown in reverse, without spaces around them.
  package var selected: [String] {
    zip(lines, reversed).filter { $1.contains(true) }.map { $0.0.trimmingCharacters(in: .whitespaces) }
  }

  package mutating func resize(columns: Int, rows: Int) {
    cells = (0..<rows).map { row in (0..<columns).map { row < self.rows && $0 < self.columns ? cells[row][$0] : " " } }
    reversed = Array(repeating: Array(repeating: false, count: columns), count: rows)
    (self.columns, self.rows) = (columns, rows)
    (row, column) = (min(row, rows - 1), min(column, columns - 1))
  }

  package mutating func take(_ bytes: some Sequence<UInt8>) {
    pending += bytes
    while let byte = pending.first {
      if byte == 0x1B {
        guard pending.count > 1 else { return }
        if pending[1] == UInt8(ascii: "]") {
          guard let end = pending.indices.dropFirst().first(where: { pending[$0 - 1] == 0x1B && pending[$0] == 0x5C })
          else { return }
          system(String(decoding: pending[2..<(end - 1)], as: UTF8.self))
          pending.removeFirst(end + 1)
          continue
        }
        // An end of a string, the way out of the VT52's mode; other character sets, UTF-8, single-width lines.
        if "\\<".utf8.contains(pending[1]) {
          pending.removeFirst(2)
          continue
        }
        if ")*+%#".utf8.contains(pending[1]) {
          guard pending.count > 2 else { return }
          pending.removeFirst(3)
          continue
        }
        if pending[1] == UInt8(ascii: "(") {
          guard pending.count > 2 else { return }
          hasLineDrawing = pending[2] != UInt8(ascii: "B")
          pending.removeFirst(3)
          continue
        }
        if pending[1] == UInt8(ascii: "7") || pending[1] == UInt8(ascii: "8") {
          if pending[1] == UInt8(ascii: "7") { saved = (row, column) } else { (row, column) = saved }
          pending.removeFirst(2)
          continue
        }
        guard pending[1] == UInt8(ascii: "[") else {
          unknown.append(String(decoding: pending.prefix(2), as: UTF8.self))
          pending.removeFirst(2)
          continue
        }
        guard let end = pending.dropFirst(2).firstIndex(where: { (0x40...0x7E).contains($0) }) else { return }
        control(String(decoding: pending[2..<end], as: UTF8.self), Character(UnicodeScalar(pending[end])))
        pending.removeFirst(end + 1)
      } else if byte < 0x20 || byte == 0x7F {
        pending.removeFirst()
        switch byte {
        case 0x0D: column = 0
        case 0x0A: lineFeed()
        case 0x08: column = max(0, column - 1)
        case 0x0F, 0x18: break
        default: unknown.append(String(UnicodeScalar(byte)))
        }
      } else {
        // Characters may be made of several scalars, so as many as there are, but for one cut short.
        var run = pending.prefix { $0 >= 0x20 && $0 != 0x7F }
        if run.count == pending.count {
          while let last = run.last, last & 0xC0 == 0x80 { run.removeLast() }
          if let last = run.last, last >= 0xC0 { run.removeLast() }
          let cut = pending.count - run.count
          let needed = cut == 0 ? 0 : pending[run.count] < 0xE0 ? 2 : pending[run.count] < 0xF0 ? 3 : 4
          if cut >= needed { run = pending[...] }
          if run.isEmpty { return }
        }
        for character in String(decoding: run, as: UTF8.self) { put(character) }
        pending.removeFirst(run.count)
      }
    }
  }

  private mutating func put(_ character: Character) {
    let width = String(character).displayWidth
    if width == 0 || column >= columns { return }
    cells[row][column] = String(character)
    reversed[row][column] = isReverse
    for next in (column + 1)..<max(column + 1, min(columns, column + width)) {
      cells[row][next] = ""
      reversed[row][next] = isReverse
    }
    column += width
  }

  private mutating func lineFeed() {
    if row < rows - 1 {
      row += 1
    } else {
      cells.removeFirst()
      cells.append(Array(repeating: " ", count: columns))
    }
  }

  /// An operating system command (OSC).
  private mutating func system(_ text: String) {
    let number = String(text.prefix { $0 != ";" })
    switch number {
    case "10", "11", "12": colors.insert(number)
    case "110", "111", "112": colors.remove(String(number.dropFirst()))
    case "104", "117", "119", "8": break
    default: unknown.append("OSC \(text)")
    }
  }

  private mutating func control(_ parameters: String, _ final: Character) {
    let numbers = parameters.split(separator: ";", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
    let first = max(1, numbers.first ?? 1)
    switch (final, parameters) {
    case ("H", _):
      row = min(rows, first) - 1
      column = min(columns, max(1, numbers.count > 1 ? numbers[1] : 1)) - 1
    case ("G", _): column = min(columns, first) - 1
    case ("K", ""): erase(row, from: column)
    case ("J", "2"): for row in 0..<rows { erase(row, from: 0) }
    case ("J", ""):
      erase(row, from: column)
      for row in (row + 1)..<max(row + 1, rows) { erase(row, from: 0) }
    case ("m", _):
      for number in numbers {
        if number == 7 { isReverse = true } else if number == 0 { isReverse = false }
        if number == 8 { isHidden = true } else if number == 0 { isHidden = false }
      }
    case ("r", _):
      hasMargins = !parameters.isEmpty
      (row, column) = (0, 0)
    case ("h", "?69"), ("l", "?69"): hasSideMargins = final == "h"
    case ("h", "?25"): isCursorShown = true
    case ("l", "?25"): isCursorShown = false
    case ("h", "?1049"):
      main = (cells, row, column)
      isAlternate = true
      for row in 0..<rows { erase(row, from: 0) }
    case ("l", "?1049"):
      isAlternate = false
      guard let main, main.cells.count == rows, main.cells[0].count == columns else { return }
      (cells, row, column) = main
    case ("h", "?2004"), ("l", "?2004"), ("h", "?7"), ("l", "?7"), ("h", "?2026"), ("l", "?2026"): break
    case ("i", "5"): isPrinting = true
    case ("i", "4"): isPrinting = false
    case ("i", "?4"), ("q", "0\""), ("l", "?5"), ("l", "4"), ("l", "20"), ("l", "2"): break
    default: unknown.append("CSI \(parameters)\(final)")
    }
  }

  private mutating func erase(_ row: Int, from column: Int) {
    for place in min(column, columns)..<columns {
      cells[row][place] = " "
      reversed[row][place] = false
    }
  }
}
