import Core
import Glibc
import Permissions
import Terminal

/// The text above a question, safe against anything that a script has put into it or written to the terminal before.
extension PermissionPrompt {
  /// The access, below the script's own reason; nil if the text does not fit on the screen.
  func text(of access: Access, place: String?, reason: String?) -> String? {
    let place = place.map { "\(shownPlace($0)): " } ?? ""
    var lines = [
      "\(place)\(access.sentence.displayable)",
      "  y: yes, n: no\(access.everything.map { ", A: yes, and \($0)" } ?? "")",
    ]
    if let reason { lines.insert(clipped("  the script says why: \(reason.displayable)"), at: 0) }
    return text(lines)
  }

  /// The place in the script. A script chooses the names of the chunks that it loads, and a name of more than two words
  /// could be read as a part of the question.
  private func shownPlace(_ place: String) -> String {
    let shown = Access.shown(place.displayable)
    return shown.count(where: { $0 == " " }) > 1 ? shown.replacing(" ", with: "␣") : shown
  }

  /// Lines above a question, behind a reset of the screen; nil if they do not fit.
  func text(_ lines: [String]) -> String? {
    let (columns, rows) = size
    let height = lines.reduce(1) { $0 + max(1, (Self.widest($1) + columns - 1) / columns) }
    // Combining marks take no room: many bytes that nobody sees.
    guard height <= rows, lines.allSatisfy({ $0.utf8.count <= 4 * columns * rows }) else { return nil }
    return (console.isDumb ? "" : PlainScreen.sequence) + lines.map { $0 + "\n" }.joined()
  }

  /// A line, cut off at the width of the screen.
  package func clipped(_ line: String) -> String {
    let columns = size.columns
    return String(line.unicodeScalars.prefix(4 * columns)).clipped(to: columns - 1)
  }

  /// The most columns that a terminal may take for a line. Many letters, for example those that go in front of another one,
  /// may be one character and yet stand side by side.
  private static func widest(_ line: String) -> Int {
    line.unicodeScalars.reduce(0) { $0 + String($1).displayWidth }
  }

  private var size: (columns: Int, rows: Int) {
    guard let screen = TerminalScreen(of: STDERR_FILENO), screen.rows > 0 else { return (80, 24) }
    return (screen.columns, screen.rows)
  }

}
