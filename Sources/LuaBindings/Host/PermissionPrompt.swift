import Diagnostics
import Glibc
import HostLoop
import Permissions
import Terminal

/// The question whether a script may do something, asked on the terminal while everything waits.
@HostActor
struct PermissionPrompt {
  static let tries = 3
  /// Longer than any answer (termios(3): a terminal gives a line of at most 4096 bytes).
  private static let longestLine = 4096

  let console: Console
  /// Whether the run is to end, so that nobody waits for an answer.
  private let isInterrupted: @HostActor () -> Bool

  init(_ console: Console, isInterrupted: @escaping @HostActor () -> Bool) {
    self.console = console
    self.isInterrupted = isInterrupted
  }

  /// Whether there is a person who reads standard error and answers on standard input.
  static var canAsk: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

  /// Nil when there was no answer: the end of the input, Ctrl-C, or another question on the screen.
  func ask(_ access: Access, place: String?, reason: String?) -> Permissions.Answer? {
    guard Self.canAsk, let terminal = ControllingTerminal.shared, !terminal.isAsking else { return nil }
    return terminal.aside { answer(access, place: place, reason: reason) }
  }

  private func answer(_ access: Access, place: String?, reason: String?) -> Permissions.Answer? {
    // What cannot be seen whole is not to be agreed to.
    guard var question = Self.question(access, place, reason, TerminalScreen(of: STDERR_FILENO)) else { return nil }
    let restore = Self.takeLines()
    defer { restore() }
    defer { console.asked() }
    if !console.isDumb { question = Self.plainScreen + question }
    for _ in 1...Self.tries {
      console.ask("\(question)Allow it? [y/n/A] ", on: STDERR_FILENO)
      question = ""
      guard let line = line() else { return nil }
      switch line.filter({ !$0.isWhitespace }) {
      case "y", "Y", "yes": return .yes
      case "n", "N", "no": return .no
      case "A": return .all
      default: continue
      }
    }
    return .no
  }

  /// What stands above the answer, what is asked for below the script's own words; nil where it does not fit on the screen.
  private static func question(
    _ access: Access, _ place: String?, _ reason: String?, _ screen: TerminalScreen?
  ) -> String? {
    let columns = screen?.columns ?? 80
    let rows = screen.map(\.rows).flatMap { $0 > 0 ? $0 : nil } ?? 24
    let sentence = (place.map { "\(Access.shown($0)): " } ?? "").displayable + access.sentence.displayable
    var lines = [sentence, "  y: yes, n: no, A: yes, and \(access.everything)", "Allow it? [y/n/A] A"]
    // Marks that take no room are many bytes nobody sees.
    guard sentence.utf8.count < 4 * columns * rows else { return nil }
    if let reason {
      let some = String(reason.unicodeScalars.prefix(columns)).displayable
      lines.insert("  the script says why: \(some)".clipped(to: columns - 1), at: 0)
    }
    guard lines.reduce(0, { $0 + max(1, ($1.displayWidth + columns - 1) / columns) }) <= rows else { return nil }
    return lines.dropLast().map { $0 + "\n" }.joined()
  }

  /// Whatever a script has told the terminal, the question is to be seen and the last thing on it: no margins, which would
  /// scroll it away (DECLRMM, DECSTBM, with the cursor back where it was), no hidden text, the usual characters, lines that
  /// wrap, and nothing below.
  private static let plainScreen =
    "\u{1B}7\u{1B}[?69l\u{1B}[r\u{1B}8\u{1B}[0m\u{1B}(B\u{0F}\u{1B}[?7h\u{1B}[J"

  /// A line, without any signal being missed between looking whether one came and waiting.
  func line() -> String? {
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
      let count = read(STDIN_FILENO, &bytes, bytes.count)
      guard count > 0 else { return nil }
      return String(decoding: bytes[..<count], as: UTF8.self)
    }
  }

  /// Has the terminal give whole lines and show them, whatever a script has made of it, and drops what was typed before
  /// the question could be read. Returns what puts it back.
  static func takeLines() -> () -> Void {
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
}
