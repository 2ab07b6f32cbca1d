import Glibc
import HostLoop

/// The terminal's mode while the program reads it. There is one at a time, and it is put back however the program ends.
package enum TerminalMode {
  /// What the terminal is read for.
  enum Purpose: Sendable {
    /// A line with an address in it: one in canonical mode ends at 4095 bytes, and a pasted redirect with tokens in it is
    /// longer. What is pasted is marked where the terminal can do that.
    case address
    case text
    /// What was typed before is dropped, as it was not meant for this.
    case secret
    /// Keys, each as it is pressed, and a screen of the program's own.
    case keys

    fileprivate var atBegin: String {
      switch self {
      case .address: "\u{1B}[?2004h"
      case .text, .secret: ""
      // The other screen, without breaks of long lines and without a cursor.
      case .keys: "\u{1B}[?1049h\u{1B}[?2004h\u{1B}[?7l\u{1B}[?25l\u{1B}[2J"
      }
    }

    fileprivate var atEnd: String {
      switch self {
      case .address: "\u{1B}[?2004l"
      case .text, .secret: ""
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

  /// The one that is in force, for the end of the process in the middle of it.
  private static let current = Locked<Saved?>(nil)
  private static let atExit: Void = { _ = atexit { TerminalMode.restore() } }()

  /// Puts the terminal into the mode for reading.
  /// - Parameter screen: where what is typed is shown; nil for nowhere.
  static func begin(_ purpose: Purpose, _ descriptor: Int32, screen: Int32?) {
    _ = atExit
    var settings = termios()
    guard tcgetattr(descriptor, &settings) == 0 else { return }
    let saved = Saved(descriptor: descriptor, screen: screen, purpose: purpose, settings: settings)
    current.withLock { $0 = saved }
    adapt(&settings, to: purpose)
    tcsetattr(descriptor, purpose == .secret ? TCSAFLUSH : TCSANOW, &settings)
    write(purpose.atBegin, to: screen)
  }

  /// Puts the terminal back; nothing happens when it is. Also for whoever ends the process without running what was
  /// deferred.
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

  /// Puts the terminal back while `body` runs, for a question in the middle of something else.
  static func aside<Result>(_ body: () throws -> Result) rethrows -> Result {
    let saved = current.withLock { $0 }
    restore()
    defer { if let saved { begin(saved.purpose, saved.descriptor, screen: saved.screen) } }
    return try body()
  }

  /// Ctrl-C keeps its meaning.
  private static func adapt(_ settings: inout termios, to purpose: Purpose) {
    settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
    let isForKeys = purpose == .keys
    if isForKeys {
      settings.c_lflag &= ~tcflag_t(IEXTEN)
      // Ctrl-S and Ctrl-Q are keys, and Enter is told from Ctrl-J.
      settings.c_iflag &= ~tcflag_t(IXON | ICRNL)
    }
    // Swift sees c_cc as a tuple.
    withUnsafeMutableBytes(of: &settings.c_cc) { characters in
      characters[Int(VMIN)] = 1
      characters[Int(VTIME)] = 0
      // Ctrl-Z would leave the shell with this mode; 0 stands for no character. A screen puts the terminal back before.
      if !isForKeys { characters[Int(VSUSP)] = 0 }
    }
  }

  private static func write(_ text: String, to screen: Int32?) {
    if let screen, !text.isEmpty { write(Array(text.utf8), to: screen) }
  }

  /// Writes all of it, as far as the terminal is there.
  static func write(_ bytes: [UInt8], to screen: Int32) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes { Glibc.write(screen, $0.baseAddress, $0.count) }
      if written > 0 { rest = rest.dropFirst(written) } else if errno != EINTR && errno != EAGAIN { return }
    }
  }
}
