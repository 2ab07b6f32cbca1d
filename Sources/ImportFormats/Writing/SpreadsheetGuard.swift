/// The guard of cells that a spreadsheet would run as formulas. A guarded table has a column for it, by which the reader knows
/// that the guards are to be taken off. A cell that begins with the guard itself gets one, too, so that each cell comes back
/// as it was.
package enum SpreadsheetGuard {
  /// The column that marks a guarded table.
  package static let column = "_guarded"
  /// With this in front, spreadsheets show a cell as a text.
  static let mark = UInt8(ascii: "'")

  /// True for a byte that begins a formula: `=`, `+`, `-`, `@`, tab, carriage return.
  static func beginsFormula(_ byte: UInt8?) -> Bool {
    switch byte {
    case UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "@"), 0x09, 0x0D: true
    default: false
    }
  }

  package static func isFormula(_ cell: String) -> Bool { beginsFormula(cell.utf8.first) }

  package static func guarded(_ cell: String) -> String {
    isFormula(cell) || cell.utf8.first == mark ? "'\(cell)" : cell
  }

  /// True if a cell that begins with these bytes has a guard.
  static func isGuarded(_ first: UInt8, _ second: UInt8) -> Bool {
    first == mark && (second == mark || beginsFormula(second))
  }
}
