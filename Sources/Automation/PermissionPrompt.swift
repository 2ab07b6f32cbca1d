import Core
import Glibc
package import HostLoop
import Permissions
import Terminal

/// A question asked on the terminal while everything waits: whether a script may do something, or a plugin is trusted.
@HostActor
package struct PermissionPrompt {
  private static let tries = 3
  /// Longer than any answer (termios(3): a terminal gives a line of at most 4096 bytes).
  private static let longestLine = 4096

  let console: Console
  /// Returns true if the run is about to end. The prompt then does not wait for an answer.
  private let isInterrupted: @HostActor () -> Bool

  init(_ console: Console, isInterrupted: @escaping @HostActor () -> Bool) {
    self.console = console
    self.isInterrupted = isInterrupted
  }

  /// A prompt of a command, without a script.
  package static func person(_ console: Console) -> PermissionPrompt { PermissionPrompt(console) { false } }

  /// True if standard input and standard error are terminals, so that a user can read and answer questions.
  package static var canAsk: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

  /// Asks whether the script may do something. Nil without an answer: end of input, Ctrl-C, another question on screen.
  func ask(_ access: Access, place: String?, reason: String?) -> Permissions.Answer? {
    let choices = access.everything == nil ? "[y/n]" : "[y/n/A]"
    return answer(
      to: "Allow it? \(choices)", below: text(of: access, place: place, reason: reason), otherwise: .no
    ) { word in
      switch word {
      case "y", "Y", "yes": .yes
      case "n", "N", "no": .no
      case "A" where access.everything != nil: .all
      default: nil
      }
    }
  }

  /// Asks another question, answered with yes or no. Nil without an answer.
  package func confirm(_ facts: [String], _ question: String) -> Bool? {
    answer(to: "\(question) [y/n]", below: text(facts), otherwise: false) { word in
      switch word.lowercased() {
      case "y", "yes": true
      case "n", "no": false
      default: nil
      }
    }
  }

  /// Asks which of several ways to go, each with the letter that chooses it. The last one is the answer to unknown words. Nil
  /// without an answer.
  package func choose(_ facts: [String], _ ways: [(letter: String, way: String)]) -> String? {
    let question = "What now? [\(ways.map(\.letter).joined(separator: "/"))]"
    return answer(
      to: question, below: text(facts + ways.map { "  \($0.letter): \($0.way)" }), otherwise: ways.last?.letter ?? ""
    ) { word in ways.first { $0.letter == word.lowercased() }?.letter }
  }

  /// `text` is nil if it does not fit on the screen: then nobody is asked. `otherwise` is the answer to words that
  /// `read` does not know.
  private func answer<Answer>(
    to question: String, below text: @autoclosure () -> String?, otherwise: Answer, _ read: (String) -> Answer?
  ) -> Answer? {
    guard Self.canAsk, let terminal = ControllingTerminal.shared, !terminal.isAsking else { return nil }
    return terminal.aside {
      guard var text = text() else { return nil }
      let restore = Self.takeLines()
      defer { restore() }
      defer { console.asked() }
      for _ in 1...Self.tries {
        console.ask(DecisionText("\(text)\(question) "), on: STDERR_FILENO)
        text = ""
        guard let line = line() else { return nil }
        if let answer = read(line.filter { !$0.isWhitespace }) { return answer }
      }
      return otherwise
    }
  }

  /// Reads a line. No signal is missed between the check for one and the wait.
  private func line() -> String? {
    var all = sigset_t()
    var before = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    while true {
      if isInterrupted() { return nil }
      // Swift does not see FD_SET: descriptor 0 is the first bit.
      var input = fd_set()
      input.__fds_bits.0 = 1
      guard pselect(STDIN_FILENO + 1, &input, nil, nil, nil, &before) > 0 else {
        if errno == EINTR { continue }
        return nil
      }
      var bytes = [UInt8](repeating: 0, count: Self.longestLine)
      let count = Glibc.read(STDIN_FILENO, &bytes, bytes.count)
      guard count > 0 else { return nil }
      return String(decoding: bytes[..<count], as: UTF8.self)
    }
  }

  /// Has the terminal give whole lines and show them, in whatever mode a script has put it, and drops the input typed
  /// before the question was readable. Returns a function that restores the mode.
  private static func takeLines() -> () -> Void {
    var before = termios()
    guard tcgetattr(STDIN_FILENO, &before) == 0 else { return {} }
    var mode = before
    mode.c_lflag |= tcflag_t(ICANON | ECHO | ISIG)
    mode.c_iflag |= tcflag_t(ICRNL)
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &mode)
    return {
      var mode = before
      tcsetattr(STDIN_FILENO, TCSADRAIN, &mode)
    }
  }

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
    // Also where TERM says that the terminal knows no such sequences: it may know them, and a script may have used them.
    return Self.plainScreen + (console.isDumb ? "\n" : "") + lines.map { $0 + "\n" }.joined()
  }

  /// A line, cut off at the width of the screen.
  package func clipped(_ line: String) -> String {
    let columns = size.columns
    return String(line.unicodeScalars.prefix(4 * columns)).clipped(to: columns - 1)
  }

  /// The most columns that a terminal may take for a line. Many letters, for example those that go in front of another one,
  /// may be one character and yet stand side by side.
  private static func widest(_ line: String) -> Int { line.unicodeScalars.reduce(0) { $0 + String($1).displayWidth } }

  private var size: (columns: Int, rows: Int) {
    guard let screen = TerminalScreen(of: STDERR_FILENO), screen.rows > 0 else { return (80, 24) }
    return (screen.columns, screen.rows)
  }

  /// The control sequence before a question: the terminal shows the question as it is, as the last text on the screen,
  /// whatever was written before. The order matters: modes that would swallow later sequences are reset first.
  private static let plainScreen = [
    // Ends an unfinished sequence (CAN), or an unfinished title or the like (ST).
    "\u{18}\u{1B}\\",
    // Out of the VT52's mode, where a terminal reads none of these.
    "\u{1B}<",
    // Media Copy off: output goes to the screen, not to a printer (printer controller, auto print).
    "\u{1B}[4i", "\u{1B}[?4i",
    // Output is shown, not held back (synchronized output).
    "\u{1B}[?2026l",
    // The usual colors of palette, text, background, cursor and selection.
    "\u{1B}]104\u{1B}\\", "\u{1B}]110\u{1B}\\", "\u{1B}]111\u{1B}\\", "\u{1B}]112\u{1B}\\", "\u{1B}]117\u{1B}\\",
    "\u{1B}]119\u{1B}\\",
    // No link under the text.
    "\u{1B}]8;;\u{1B}\\",
    // No margins, which would scroll it away (DECLRMM, DECSTBM), with the cursor back where it was.
    "\u{1B}7\u{1B}[?69l\u{1B}[r\u{1B}8",
    // No hidden, protected or double-height text, no reversed screen.
    "\u{1B}[0m\u{1B}[0\"q\u{1B}#5\u{1B}[?5l",
    // The usual characters: UTF-8, ASCII as every set (G0 to G3), and the first of them in use.
    "\u{1B}%G\u{1B}(B\u{1B})B\u{1B}*B\u{1B}+B\u{0F}",
    // Lines that wrap, text that replaces what is there, a line feed that is no more, keys that work and a cursor.
    "\u{1B}[?7h\u{1B}[4l\u{1B}[20l\u{1B}[2l\u{1B}[?25h",
    // Nothing below.
    "\u{1B}[J",
  ].joined()
}
