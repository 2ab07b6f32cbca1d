import Files
import Glibc
package import HostLoop

/// The terminal of the person who runs the program; also where pipes have taken standard input and output. Whoever reads
/// it waits for the one who does.
@HostActor
package final class ControllingTerminal {
  /// Nil when there is none, as in a job or a service.
  package static let shared = ControllingTerminal()

  /// What a line that is read holds.
  package enum LineKind: Sendable {
    case text
    /// Kept off the screen.
    case secret
    /// An address or a code, of any length; one that was broken into lines on its way is put together again.
    case address
  }

  /// Nil where the process has none.
  private let terminal: OpenFile?
  /// The terminal that is read.
  let descriptor: Int32
  /// The terminal that is written.
  package let output: Int32
  /// What came behind the end of a line.
  var pending: ArraySlice<UInt8> = []
  /// The screen that is open, which has the terminal for as long as it is.
  var screen: FullScreen?
  /// The wait of each call that is not over yet, in their order: the first one has the terminal.
  private var turns: [CancellableWait<Void>] = []

  private init?() {
    terminal = try? OpenFile("/dev/tty", Opening(O_RDWR))
    if isatty(0) == 1 { descriptor = 0 } else if let terminal { descriptor = terminal.descriptor } else { return nil }
    output = isatty(2) == 1 ? 2 : isatty(1) == 1 ? 1 : terminal?.descriptor ?? descriptor
  }

  /// How large it is; nil when it does not know.
  package var size: TerminalScreen? { TerminalScreen(of: output) }

  /// Whether a line is asked for.
  package private(set) var isAsking = false

  /// Runs `body` with the terminal as it is without the program, for a question in the middle of something else; a screen
  /// that is open is shown again after it.
  package func aside<Result>(_ body: () throws -> Result) rethrows -> Result {
    defer { screen?.redraw() }
    return try TerminalMode.aside(body)
  }

  /// Whether a screen is open, beside which no line can be asked for.
  package var isTaken: Bool { screen?.isShown == true }

  /// The next line without its end; nil at the end of the input. The terminal is in its own mode again when this returns,
  /// also when the wait is canceled. Who asks while others wait gets the line behind theirs.
  /// - Parameter ask: shows the question. The terminal is read by then: whoever sees it may type.
  package func line(_ kind: LineKind, ask: () -> Void = {}) async throws -> String? {
    let turn = try await takeTurn()
    defer { passTurn(turn) }
    let purpose: TerminalMode.Purpose =
      switch kind {
      case .text: .text
      case .secret: .secret
      case .address: .address
      }
    isAsking = true
    defer { isAsking = false }
    if kind == .secret { pending = [] }
    TerminalMode.begin(purpose, descriptor, screen: output)
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
