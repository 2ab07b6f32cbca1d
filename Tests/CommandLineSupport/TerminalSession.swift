package import Foundation
import Glibc
import Testing

/// `b2c-run` on a terminal of its own. The test reads the screen and types.
package final class TerminalSession {
  package struct NotSeen: Error, CustomStringConvertible {
    package let text: String
    package let screen: String
    package var description: String { "expected to see \"\(text)\" on the screen, which shows\n\(screen)" }
  }

  /// Everything the screen has shown.
  package private(set) var screen = ""
  /// The current content of the screen.
  package private(set) var display: ScreenModel
  private var unread = Data()
  private var hasEnded = false
  private let master: CInt
  private let process = Process()
  /// Its folder is there for as long as this is.
  private let program: Program

  /// - Parameters:
  ///   - hasPipe: whether standard input is an empty pipe, not the terminal.
  ///   - shell: a line of bash to run instead, in which `$0` is the program and `$@` the arguments; with job control.
  package init(
    _ program: Program, _ arguments: [String], hasPipe: Bool = false, shell line: String? = nil, columns: Int = 80,
    rows: Int = 24, environment: [String: String] = [:]
  ) throws {
    var (master, slave): (CInt, CInt) = (-1, -1)
    var size = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    display = ScreenModel(columns: columns, rows: rows)
    guard openpty(&master, &slave, nil, nil, &size) == 0 else {
      throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
    }
    _ = fcntl(master, F_SETFD, FD_CLOEXEC)
    self.master = master
    var mode = termios()
    firstModes = tcgetattr(master, &mode) == 0 ? mode.c_lflag : 0
    self.program = program
    let terminal = FileHandle(fileDescriptor: slave, closeOnDealloc: true)
    // setsid makes the terminal that standard input leads to the one that Ctrl-C is typed on, and /dev/tty.
    process.executableURL = URL(filePath: "/usr/bin/setsid")
    let shell = (hasPipe ? "true | \"$0\" \"$@\"" : line).map { ["/bin/bash", "-mc", $0] } ?? []
    process.arguments = ["--ctty", "--wait"] + shell + [Program.binary.path] + arguments
    process.currentDirectoryURL = program.folder
    process.environment = ["HOME": program.folder.path, "PATH": "/usr/bin:/bin", "TERM": "xterm", "NO_COLOR": "1"]
      .merging(environment) { $1 }
    process.standardInput = terminal
    process.standardOutput = terminal
    process.standardError = terminal
    try process.run()
    try terminal.close()
  }

  deinit {
    if process.isRunning { process.terminate() }
    close(master)
  }

  /// The folder in which the program runs.
  package var folder: URL { program.folder }

  /// Waits until the screen shows `text` after the text that was expected before.
  package func expect(_ text: String) throws {
    while true {
      if let found = unread.range(of: Data(text.utf8)) {
        unread = Data(unread[found.upperBound...])
        return
      }
      guard read() else { throw NotSeen(text: text, screen: screen) }
    }
  }

  /// Waits until the screen looks like this.
  package func see(_ what: String, _ isThere: (ScreenModel) -> Bool) throws {
    while !isThere(display) {
      guard read() else { throw NotSeen(text: what, screen: display.text) }
    }
  }

  /// Waits until the screen shows this text in one of its rows.
  package func see(_ text: String) throws { try see(text) { $0.text.contains(text) } }

  /// Waits until the screen does not show this text any more.
  package func seeNo(_ text: String) throws { try see("no \(text)") { !$0.text.contains(text) } }

  package func resize(columns: Int, rows: Int) {
    var size = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    display.resize(columns: columns, rows: rows)
    _ = ioctl(master, UInt(TIOCSWINSZ), &size)
  }

  package func type(_ text: String) { _ = write(master, text, text.utf8.count) }

  /// Sends a long text as fast as the program takes it.
  package func paste(_ text: String) throws {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let written = rest.prefix(1024).withUnsafeBytes { write(master, $0.baseAddress, $0.count) }
      guard written > 0 else { throw NotSeen(text: "the rest of what was pasted", screen: screen) }
      rest = rest.dropFirst(written)
    }
  }

  /// The terminal's flags for echo, lines and signals, before the program began.
  package let firstModes: tcflag_t
  /// The flags as they are now.
  package var localModes: tcflag_t {
    var mode = termios()
    return tcgetattr(master, &mode) == 0 ? mode.c_lflag : 0
  }

  /// True if the terminal shows the typed characters.
  package var isEchoing: Bool {
    var mode = termios()
    return tcgetattr(master, &mode) == 0 && mode.c_lflag & tcflag_t(ECHO) != 0
  }

  /// Reads to the end of the program, and returns its exit status. One that has nothing more to say and does not end is
  /// stopped.
  package func end() -> Int32 {
    while read() {}
    if !hasEnded { process.terminate() }
    process.waitUntilExit()
    return process.terminationStatus
  }

  /// Reads the next bytes for the screen. Returns false if the program has ended, or if no byte came for a minute.
  private func read() -> Bool {
    var ready = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
    guard poll(&ready, 1, 60_000) == 1 else { return false }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = Glibc.read(master, &bytes, bytes.count)
    hasEnded = count <= 0
    guard !hasEnded else { return false }
    unread += bytes[..<count]
    screen += String(decoding: bytes[..<count], as: UTF8.self)
    display.take(bytes[..<count])
    return true
  }
}
