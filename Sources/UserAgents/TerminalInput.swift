import Glibc
package import HostLoop

/// Lines that a person types or pastes on a terminal, of any length.
@HostActor
package final class TerminalInput: Sendable {
  private let descriptor: Int32
  private let screen: Int32?
  private var editor = LineEditor()
  /// What came behind the end of a line.
  private var pending: ArraySlice<UInt8> = []
  private var hasEnded = false
  private var waiter: CancellableWait<String?>?
  /// The wait of each call that is not over yet, in their order: the first one has the terminal.
  private var turns: [CancellableWait<Void>] = []

  /// - Parameters:
  ///   - descriptor: the terminal.
  ///   - screen: where what is typed is shown, when that is a terminal.
  package init(descriptor: Int32 = 0, screen: Int32 = 2) {
    self.descriptor = descriptor
    self.screen = isatty(screen) == 1 ? screen : nil
  }

  /// The next line without its end; nil at the end of the input. The terminal is in its own mode again when this returns,
  /// also when the wait is canceled. Who asks while others wait gets the line behind theirs.
  package func line() async throws -> String? {
    let turn = CancellableWait<Void>()
    turns.append(turn)
    defer {
      turns.removeAll { $0 === turn }
      turns.first?.finish(.success(()))
    }
    if turns.count == 1 { turn.finish(.success(())) }
    try await turn.value()
    TerminalMode.begin(descriptor, screen: screen)
    defer { TerminalMode.restore() }
    let wait = CancellableWait<String?>()
    waiter = wait
    defer { waiter = nil }
    takePending()
    let reader = try TerminalReader(descriptor) { bytes in HostActor.task { self.arrived(bytes) } }
    defer { reader.stop() }
    return try await wait.value()
  }

  /// Puts a terminal that is being read back into its own mode; for whoever ends the process without waiting for that.
  package nonisolated static func restore() { TerminalMode.restore() }

  private func arrived(_ bytes: [UInt8]) {
    if bytes.isEmpty { hasEnded = true }
    pending += bytes
    takePending()
  }

  private func takePending() {
    guard let waiter else { return }
    let event = editor.take(&pending)
    show(editor.takeEcho())
    switch event {
    case .line(let line): finish(waiter, line)
    case .end: finish(waiter, nil)
    case nil: if hasEnded { finish(waiter, nil) }
    }
  }

  private func finish(_ waiter: CancellableWait<String?>, _ line: String?) {
    self.waiter = nil
    waiter.finish(.success(line))
  }

  private func show(_ bytes: [UInt8]) {
    guard let screen, !bytes.isEmpty else { return }
    _ = bytes.withUnsafeBytes { write(screen, $0.baseAddress, $0.count) }
  }
}
