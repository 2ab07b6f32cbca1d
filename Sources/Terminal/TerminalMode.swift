import Files
import Glibc
import HostLoop

/// The terminal's mode while the program reads it. It is restored however the program ends.
package enum TerminalMode {
  enum Purpose: Sendable, Equatable {
    /// Terminals that can mark a pasted address do so. Text typed before a secret is dropped: it was not meant as one.
    case line(ControllingTerminal.LineKind)
    /// Single keys, and a screen of the program.
    case keys

    fileprivate var atBegin: String {
      switch self {
      case .line(let kind): kind == .address && !TerminalScreen.isDumb ? "\u{1B}[?2004h" : ""
      // The alternate screen, without wrapped lines and without a cursor.
      case .keys: "\u{1B}[?1049h\u{1B}[?2004h\u{1B}[?7l\u{1B}[?25l\u{1B}[2J"
      }
    }

    fileprivate var atEnd: String {
      switch self {
      case .line(let kind): kind == .address && !TerminalScreen.isDumb ? "\u{1B}[?2004l" : ""
      case .keys: "\u{1B}[0m\u{1B}[?2026l\u{1B}[?25h\u{1B}[?7h\u{1B}[?2004l\u{1B}[?1049l"
      }
    }
  }

  private struct Saved {
    let descriptor: Int32
    let screen: Int32?
    let purpose: Purpose
    let settings: termios
  }

  /// The current mode, to restore the terminal at the end of the process.
  private static let current = Locked<Saved?>(nil)
  private static let atExit: Void = { _ = atexit { TerminalMode.restore() } }()

  /// - Parameter screen: the descriptor that shows typed text; nil for none.
  static func begin(_ purpose: Purpose, _ descriptor: Int32, screen: Int32?) {
    _ = atExit
    var settings = termios()
    guard tcgetattr(descriptor, &settings) == 0 else { return }
    let saved = Saved(descriptor: descriptor, screen: screen, purpose: purpose, settings: settings)
    current.withLock { $0 = saved }
    adapt(&settings, to: purpose)
    tcsetattr(descriptor, purpose == .line(.secret) ? TCSAFLUSH : TCSANOW, &settings)
    write(purpose.atBegin, to: screen)
  }

  /// Restores the terminal once. Also called before the process ends without running deferred statements.
  package static func restore() {
    let saved = current.withLock { current in
      defer { current = nil }
      return current
    }
    guard let saved else { return }
    write(saved.purpose.atEnd, to: saved.screen)
    var settings = saved.settings
    tcsetattr(saved.descriptor, TCSADRAIN, &settings)
  }

  /// Restores the terminal while `body` runs, for a question during other work.
  static func aside<Result>(_ body: () throws -> Result) rethrows -> Result {
    let saved = current.withLock { $0 }
    restore()
    defer { if let saved { begin(saved.purpose, saved.descriptor, screen: saved.screen) } }
    return try body()
  }

  /// Ctrl-C keeps its meaning.
  private static func adapt(_ settings: inout termios, to purpose: Purpose) {
    settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
    if purpose == .keys {
      settings.c_lflag &= ~tcflag_t(IEXTEN)
      // Ctrl-S and Ctrl-Q become keys, and Enter differs from Ctrl-J.
      settings.c_iflag &= ~tcflag_t(IXON | ICRNL)
    }
    // Swift sees c_cc as a tuple.
    withUnsafeMutableBytes(of: &settings.c_cc) { characters in
      characters[Int(VMIN)] = 1
      characters[Int(VTIME)] = 0
      // Ctrl-Z would leave the shell in this mode; 0 stands for no character. A screen restores the terminal first.
      if purpose != .keys { characters[Int(VSUSP)] = 0 }
    }
  }

  private static func write(_ text: String, to screen: Int32?) {
    if let screen { write(Array(text.utf8), to: screen) }
  }

  /// Writes all bytes, unless the terminal is gone.
  static func write(_ bytes: [UInt8], to screen: Int32) { try? OpenFile.write(bytes, to: screen) }
}
