import Glibc
package import HostLoop

/// A screen of the program that replaces the contents of the terminal, and its keys. It owns the terminal until it is closed.
@HostActor
package final class FullScreen {
  /// The seconds that the key Escape waits for bytes that would make it another key.
  private static let escapeDelay = 0.05

  private let terminal: ControllingTerminal
  private var turn: CancellableWait<Void>
  private let usesColor = TerminalScreen.isColorWanted
  private var signals: TerminalSignals?
  private var reader: TerminalReader?
  private var decoder = KeyDecoder()
  private var escapeTimer: TimerQueue.ID?
  private var keys: [KeyPress] = []
  private var waiters: [CancellableWait<KeyPress?>] = []
  private var hasEnded = false
  private var shown: Frame?
  /// The last frame, also while the terminal is given away.
  private var latest: Frame?
  package private(set) var isOpen = true
  package private(set) var isShown = false

  /// Waits for the terminal and takes it.
  package static func open(on terminal: ControllingTerminal) async throws -> FullScreen {
    let turn = try await terminal.takeTurn()
    return FullScreen(terminal, turn)
  }

  private init(_ terminal: ControllingTerminal, _ turn: CancellableWait<Void>) {
    self.terminal = terminal
    self.turn = turn
    terminal.screen = self
    signals = TerminalSignals { [unowned self] in signaled($0) }
    take()
  }

  package func close() {
    guard isOpen else { return }
    suspend()
    isOpen = false
    signals?.stop()
    signals = nil
    terminal.screen = nil
    for waiter in waiters { waiter.finish(.success(nil)) }
  }

  /// Gives the terminal away. `resume` shows a frame that is drawn meanwhile.
  package func suspend() {
    guard isShown else { return }
    isShown = false
    reader?.stop()
    reader = nil
    TerminalMode.restore()
    terminal.passTurn(turn)
  }

  /// Waits for the terminal and takes it again.
  package func resume() async throws {
    guard isOpen, !isShown else { return }
    let turn = try await terminal.takeTurn()
    guard isOpen, !isShown else { return terminal.passTurn(turn) }
    self.turn = turn
    take()
  }

  private func take() {
    isShown = true
    TerminalMode.begin(.keys, terminal.descriptor, screen: terminal.output)
    reader = TerminalReader(terminal.descriptor) { [unowned self] in arrived($0) }
    shown = nil
    if let latest { show(latest) }
  }

  package var size: (columns: Int, rows: Int) { terminal.size.map { ($0.columns, $0.rows) } ?? (80, 24) }

  /// Shows these lines from the top, with the cursor at its place from 1, or hidden. Control characters become marks.
  package func draw(_ lines: [[StyledText]], cursor: (row: Int, column: Int)? = nil) {
    let size = size
    var frame = Frame(lines, columns: size.columns, height: size.rows, usesColor: usesColor)
    frame.cursor = cursor.map {
      Frame.Place(row: min(max(1, $0.row), size.rows), column: min(max(1, $0.column), size.columns))
    }
    latest = frame
    if isShown { show(frame) }
  }

  /// The next key; nil if no key was pressed within `timeout` seconds, or if the screen was closed.
  package func key(timeout: Double? = nil) async throws -> KeyPress? {
    if !keys.isEmpty { return keys.removeFirst() }
    guard isOpen, !hasEnded else { return nil }
    let wait = CancellableWait<KeyPress?>()
    waiters.append(wait)
    defer { waiters.removeAll { $0 === wait } }
    let timer = timeout.map { HostLoop.shared.schedule(after: $0) { wait.finish(.success(nil)) } }
    defer { if let timer { HostLoop.shared.cancel(timer) } }
    return try await wait.value()
  }

  /// True if no more keys will come because the terminal is gone.
  package var isAtEnd: Bool { hasEnded && keys.isEmpty }

  private func show(_ frame: Frame) {
    let update = frame.update(from: shown)
    shown = frame
    if !update.isEmpty { TerminalMode.write(Array(update.utf8), to: terminal.output) }
  }

  private func arrived(_ bytes: [UInt8]) {
    if let escapeTimer { HostLoop.shared.cancel(escapeTimer) }
    escapeTimer = nil
    if bytes.isEmpty { hasEnded = true }
    for key in bytes.isEmpty ? decoder.takeRest() : decoder.take(bytes) { deliver(key) }
    if hasEnded {
      for waiter in waiters { waiter.finish(.success(nil)) }
    } else if decoder.isWaiting {
      escapeTimer = HostLoop.shared.schedule(after: Self.escapeDelay) { [self] in
        escapeTimer = nil
        for key in decoder.takeRest() { deliver(key) }
      }
    }
  }

  private func deliver(_ key: KeyPress) {
    if key.name == "ctrl-l" { shown = nil }
    // A waiter whose time is over takes no key.
    while !waiters.isEmpty { if waiters.removeFirst().finish(.success(key)) { return } }
    if key.name != "resize" || keys.last != key { keys.append(key) }
  }

  private func signaled(_ number: Int32) {
    switch number {
    case SIGTSTP:
      if isShown { terminal.aside { signals?.stopProcess() } } else { signals?.stopProcess() }
    case SIGCONT: if isShown { terminal.aside {} }
    default: deliver(KeyPress("resize"))
    }
  }

  /// Shows the whole frame again and reports that the size may have changed.
  func redraw() {
    guard isShown else { return }
    shown = nil
    if let latest { show(latest) }
    deliver(KeyPress("resize"))
  }
}
