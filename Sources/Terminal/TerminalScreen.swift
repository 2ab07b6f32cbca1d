import Glibc

/// The size of a terminal and its use of color.
package struct TerminalScreen: Sendable {
  package var columns: Int
  package var rows: Int
  /// False if `NO_COLOR` is set or `TERM` is `dumb`.
  package var usesColor: Bool

  package init(columns: Int, rows: Int, usesColor: Bool) {
    self.columns = columns
    self.rows = rows
    self.usesColor = usesColor
  }

  /// False if `NO_COLOR` is set (no-color.org), and on a terminal without control sequences.
  package static var isColorWanted: Bool { !isDumb && getenv("NO_COLOR").map { $0.pointee == 0 } ?? true }

  /// True if the terminal has no control sequences: `TERM` is `dumb`.
  package static var isDumb: Bool { getenv("TERM").map { strcmp($0, "dumb") == 0 } ?? false }

  /// The current size of the terminal behind a descriptor; nil if that is no terminal.
  package init?(of descriptor: Int32) {
    var size = winsize()
    guard isatty(descriptor) == 1, ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    self.init(columns: Int(size.ws_col), rows: Int(size.ws_row), usesColor: Self.isColorWanted)
  }
}
