import Glibc
package import HostLoop
import Terminal

/// The lines a person types. A thread of their own reads them, because reading blocks.
@HostActor
package final class LineInput {
  package static let standard = LineInput { readLine(strippingNewline: true) }

  private nonisolated let read: @Sendable () -> String?
  private var isReading = false
  private var lines: [String?] = []
  private var waiters: [CancellableWait<String?>] = []

  /// - Parameter read: waits for the next line and returns it without its end; nil at the end of the input.
  package init(read: @escaping @Sendable () -> String?) { self.read = read }

  /// The next line without its end; nil at the end of the input. Callers get lines in the order of their calls. A line that
  /// comes after a call was canceled is kept for the next call.
  package func line() async throws -> String? {
    if !lines.isEmpty { return lines.removeFirst() }
    let wait = CancellableWait<String?>()
    waiters.append(wait)
    startReading()
    defer { waiters.removeAll { $0 === wait } }
    return try await wait.value()
  }

  /// The next line that a person pastes. On a terminal this reads characters, because the terminal cuts long lines off.
  package static func pastedLine() async throws -> String? {
    guard isatty(STDIN_FILENO) == 1, let terminal = ControllingTerminal.shared else { return try await standard.line() }
    return try await terminal.line(.address)
  }

  private func startReading() {
    guard !isReading else { return }
    isReading = true
    let (read, input) = (read, self)
    let isStarted = SystemThread.start {
      let line = read()
      HostActor.task { input.arrived(line) }
    }
    if isStarted == nil { arrived(nil) }
  }

  private func arrived(_ line: String?) {
    isReading = false
    guard !waiters.isEmpty else {
      lines.append(line)
      return
    }
    waiters.removeFirst().finish(.success(line))
    if !waiters.isEmpty { startReading() }
  }
}
