import Glibc
import Synchronization

/// The echo of a terminal, turned off while a password is typed and on again however that ends.
package enum TerminalEcho {
  private static let hidden = Mutex<(descriptor: CInt, mode: termios)?>(nil)
  /// For scripts that end the process with `os.exit`.
  private static let atExit: Void = { atexit { TerminalEcho.restore() } }()

  /// Turns the echo off. What has been typed and not been read is dropped, as it was not meant for this.
  /// - Parameter descriptor: the terminal.
  static func hide(_ descriptor: CInt) {
    _ = atExit
    var mode = termios()
    guard tcgetattr(descriptor, &mode) == 0 else { return }
    hidden.withLock { if $0 == nil { $0 = (descriptor, mode) } }
    mode.c_lflag &= ~tcflag_t(ECHO)
    // The end of the line is shown all the same.
    mode.c_lflag |= tcflag_t(ECHONL)
    // Ctrl-Z would leave the shell a terminal without echo, or come back to one with it. 0 stands for no character,
    // and Swift sees c_cc as a tuple.
    withUnsafeMutableBytes(of: &mode.c_cc) { $0[Int(VSUSP)] = 0 }
    tcsetattr(descriptor, TCSAFLUSH, &mode)
  }

  /// Turns the echo on again, if it is off. Also for whoever ends the process without running what was deferred.
  package static func restore() {
    hidden.withLock { state in
      guard let (descriptor, before) = state else { return }
      var mode = before
      tcsetattr(descriptor, TCSADRAIN, &mode)
      state = nil
    }
  }
}
