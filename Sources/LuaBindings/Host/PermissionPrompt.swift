import Core
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
    guard var question = text(of: access, place: place, reason: reason) else { return nil }
    let choices = access.everything == nil ? "[y/n]" : "[y/n/A]"
    let restore = Self.takeLines()
    defer { restore() }
    defer { console.asked() }
    for _ in 1...Self.tries {
      console.ask(DecisionText("\(question)Allow it? \(choices) "), on: STDERR_FILENO)
      question = ""
      guard let line = line() else { return nil }
      switch line.filter({ !$0.isWhitespace }) {
      case "y", "Y", "yes": return .yes
      case "n", "N", "no": return .no
      case "A" where access.everything != nil: return .all
      default: continue
      }
    }
    return .no
  }

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
