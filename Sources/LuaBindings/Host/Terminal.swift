import Glibc
import HostLoop
import Secrets

/// The terminal of the person who runs the script; also where a pipe has taken standard input or output.
@HostActor
final class Terminal {
  /// Nil when there is none, as in a job or a service.
  static let shared = Terminal()

  private let input: LineInput
  /// The terminal that is read.
  private let descriptor: CInt
  /// The terminal for what is written, where standard error leads elsewhere.
  private let output: CInt?
  /// Whether a question is on the screen.
  private(set) var isBusy = false
  private var turns: [CancellableWait<Void>] = []

  private init?() {
    let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    if isatty(0) == 1 {
      descriptor = 0
      input = .standard
    } else if terminal >= 0 {
      descriptor = terminal
      input = LineInput { Self.readLine(terminal) }
    } else {
      return nil
    }
    output = isatty(2) == 1 || terminal < 0 ? nil : terminal
  }

  /// Asks and waits for a line; one question at a time. Nil at the end of the input (Ctrl-D).
  /// - Parameter isSecret: whether what is typed is kept off the screen.
  func ask(_ question: String, isSecret: Bool, _ console: Console) async throws -> String? {
    try await takeTurn()
    defer { passTurn() }
    // Before the question: whoever sees it may type.
    if isSecret { TerminalEcho.hide(descriptor) }
    defer { TerminalEcho.restore() }
    if let output {
      let bytes = Array(Redaction.clean(question).utf8)
      _ = write(output, bytes, bytes.count)
    } else {
      console.ask(question)
    }
    defer { console.asked() }
    return try await input.line()
  }

  private func takeTurn() async throws {
    guard isBusy else {
      isBusy = true
      return
    }
    let turn = CancellableWait<Void>()
    turns.append(turn)
    do { try await turn.value() } catch {
      // Who is not in the queue any more was given the turn just before.
      if let place = turns.firstIndex(where: { $0 === turn }) { turns.remove(at: place) } else { passTurn() }
      throw error
    }
  }

  private func passTurn() {
    if turns.isEmpty { isBusy = false } else { turns.removeFirst().finish(.success(())) }
  }

  /// A terminal gives a line at a time, at most 4096 bytes of it (termios(3)).
  private nonisolated static func readLine(_ descriptor: CInt) -> String? {
    var bytes = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(descriptor, &bytes, bytes.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return nil }
      return String(decoding: bytes[..<count].prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }
  }
}
