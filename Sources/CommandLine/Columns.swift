import Core
import Glibc

/// Rows of text in aligned columns, below a header.
package struct Columns {
  /// The least columns of the terminal in which the last cell of a row makes sense.
  private static let narrowest = 16
  private static let indent = 4
  private var rows: [[String]]

  package init(_ header: String...) { self.init(header) }
  package init(_ header: [String]) { rows = [header] }

  package mutating func add(_ cells: String...) { add(cells) }
  package mutating func add(_ cells: [String]) { rows.append(cells.map(\.displayable)) }

  /// The whole text.
  package var text: String { text(in: nil) }

  /// The text for the width of the terminal: the last column is cut off at its end. If there is no room for the last column, its
  /// cells are on separate lines.
  package var fitted: String { text(in: Self.width) }

  func text(in width: Int?) -> String {
    let widths = rows[0].indices.map { column in rows.map { $0[column].displayWidth }.max() ?? 0 }
    guard let width, widths.reduce(0, +) + 2 * (widths.count - 1) > width else {
      return rows.map { Self.line($0, widths) + "\n" }.joined()
    }
    let room = width - widths.dropLast().reduce(0) { $0 + $1 + 2 }
    return rows.enumerated().map { number, row in
      let last = row.last ?? ""
      guard room < Self.narrowest else {
        return Self.line(row.dropLast() + [last.clipped(to: room)], widths) + "\n"
      }
      let line = Self.line(Array(row.dropLast()), widths) + "\n"
      guard !last.isEmpty, number > 0 else { return line }
      return line + String(repeating: " ", count: Self.indent) + last.clipped(to: max(1, width - Self.indent)) + "\n"
    }.joined()
  }

  private static func line(_ row: [String], _ widths: [Int]) -> String {
    var line = ""
    for (cell, width) in zip(row, widths) {
      line += cell + String(repeating: " ", count: max(0, width - cell.displayWidth) + 2)
    }
    while line.last == " " { line.removeLast() }
    return line
  }

  /// The columns of the terminal; nil if standard output is none.
  private static var width: Int? {
    var size = winsize()
    return ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : nil
  }
}
