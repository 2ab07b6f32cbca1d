import Core
import Glibc
import Permissions
import Terminal

/// What there is to read before an answer, whatever a script has put into it, or told the terminal before.
extension PermissionPrompt {
  /// What is asked for, below the script's own words; nil where that does not fit on the screen.
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

  /// Lines above a question, on a screen that shows them; nil where they do not fit.
  func text(_ lines: [String]) -> String? {
    let (columns, rows) = size
    let height = lines.reduce(1) { $0 + max(1, (Self.widest($1) + columns - 1) / columns) }
    // Marks that take no room are many bytes nobody sees.
    guard height <= rows, lines.allSatisfy({ $0.utf8.count <= 4 * columns * rows }) else { return nil }
    return (console.isDumb ? "" : PlainScreen.sequence) + lines.map { $0 + "\n" }.joined()
  }

  /// As much of a line as stands on one.
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
