import Glibc
import HostLoop

/// The terminal's mode while a line is read: a line in canonical mode ends at 4095 bytes, and a pasted redirect with
/// tokens in it is longer. Ctrl-C keeps its meaning.
enum TerminalMode {
  private struct Saved {
    let descriptor: Int32
    let settings: termios
    let screen: Int32?
  }

  /// The one that is in force, for the end of the process in the middle of it.
  private static let current = Locked<Saved?>(nil)
  private static let atExit: Void = { _ = atexit { TerminalMode.restore() } }()

  private static let startPasteMarks = "\u{1B}[?2004h"
  private static let endPasteMarks = "\u{1B}[?2004l"

  /// Puts the terminal into the mode for reading.
  /// - Parameter screen: where the terminal is asked to mark what is pasted; nil to leave that alone.
  static func begin(_ descriptor: Int32, screen: Int32?) {
    _ = atExit
    var settings = termios()
    guard tcgetattr(descriptor, &settings) == 0 else { return }
    let saved = Saved(descriptor: descriptor, settings: settings, screen: screen)
    current.withLock { $0 = saved }
    settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
    withUnsafeMutableBytes(of: &settings.c_cc) { characters in
      characters[Int(VMIN)] = 1
      characters[Int(VTIME)] = 0
      // Ctrl-Z would leave the shell with this mode; 0 stands for no character.
      characters[Int(VSUSP)] = 0
    }
    tcsetattr(descriptor, TCSANOW, &settings)
    write(startPasteMarks, to: screen)
  }

  /// Puts the terminal back; nothing happens when it is.
  static func restore() {
    let saved = current.withLock { current in
      defer { current = nil }
      return current
    }
    guard let saved else { return }
    write(endPasteMarks, to: saved.screen)
    var settings = saved.settings
    tcsetattr(saved.descriptor, TCSANOW, &settings)
  }

  private static func write(_ text: String, to screen: Int32?) {
    guard let screen else { return }
    _ = Array(text.utf8).withUnsafeBytes { Glibc.write(screen, $0.baseAddress, $0.count) }
  }
}
