import Files
import Glibc
package import HostLoop

/// The terminal of the person, even if standard input and output are pipes. Its readers wait for their turn.
@HostActor
package final class ControllingTerminal {
  /// Nil without a terminal, as in a job or a service.
  package static let shared = ControllingTerminal()

  /// The kind of line to read.
  package enum LineKind: Sendable {
    case text
    /// A text that is not shown.
    case secret
    /// An address or a code of any length, beyond the 4095 bytes of canonical mode, without line breaks.
    case address
  }

  private let terminal: OpenFile?
  /// The descriptor to read.
  let descriptor: Int32
  /// The descriptor to write.
  package let output: Int32
  /// The bytes behind the end of the last line.
  var pending: ArraySlice<UInt8> = []
  /// The open screen, which owns the terminal until it is closed.
  var screen: FullScreen?
  /// The calls that read or wait, in their order. The first one owns the terminal.
  private var turns: [CancellableWait<Void>] = []

  private init?() {
    terminal = try? OpenFile("/dev/tty", Opening(O_RDWR))
    if isatty(0) == 1 { descriptor = 0 } else if let terminal { descriptor = terminal.descriptor } else { return nil }
    output = isatty(2) == 1 ? 2 : isatty(1) == 1 ? 1 : terminal?.descriptor ?? descriptor
  }

  package var size: TerminalScreen? { TerminalScreen(of: output) }

  /// True while a line is read.
  package private(set) var isAsking = false

  /// Runs `body` with the terminal in its own mode, for a question during other work. An open screen is then shown again.
  package func aside<Result>(_ body: () throws -> Result) rethrows -> Result {
    defer { screen?.redraw() }
    return try TerminalMode.aside(body)
  }

  /// True while a screen is open: no line can be read then.
  package var isTaken: Bool { screen?.isShown == true }

  /// Reads the next line, without its end; nil at the end of the input. Calls get lines in their order. The terminal's
  /// mode is restored, also if the task is canceled. `ask` shows the question when the terminal is already read.
  package func line(_ kind: LineKind, ask: () -> Void = {}) async throws -> String? {
    let turn = try await takeTurn()
    defer { passTurn(turn) }
    isAsking = true
    defer { isAsking = false }
    if kind == .secret { pending = [] }
    TerminalMode.begin(.line(kind), descriptor, screen: output)
    defer { TerminalMode.restore() }
    ask()
    var editor = LineEditor(kind)
    let wait = CancellableWait<String?>()
    func take() {
      let event = editor.take(&pending)
      TerminalMode.write(editor.takeEcho(), to: output)
      switch event {
      case .line(let line): wait.finish(.success(line))
      case .end: wait.finish(.success(nil))
      case nil: break
      }
    }
    take()
    let reader = TerminalReader(descriptor) { bytes in
      self.pending += bytes
      take()
      if bytes.isEmpty { wait.finish(.success(nil)) }
    }
    defer { reader.stop() }
    return try await wait.value()
  }

  func takeTurn() async throws -> CancellableWait<Void> {
    let turn = CancellableWait<Void>()
    turns.append(turn)
    if turns.count == 1 { turn.finish(.success(())) }
    do { try await turn.value() } catch {
      passTurn(turn)
      throw error
    }
    return turn
  }

  func passTurn(_ turn: CancellableWait<Void>) {
    turns.removeAll { $0 === turn }
    turns.first?.finish(.success(()))
  }
}
