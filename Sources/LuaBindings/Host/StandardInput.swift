import Glibc
import HostLoop

/// Lines a person types. Read on a thread of their own, for reading blocks.
@HostActor
final class StandardInput {
  static let shared = StandardInput()

  private var isReading = false
  private var lines: [String?] = []
  private var waiter: CancellableWait<String?>?

  /// The next line without its end; nil at the end of the input. A line that comes after the wait was canceled is kept
  /// for the next one.
  func line() async throws -> String? {
    if !lines.isEmpty { return lines.removeFirst() }
    let wait = CancellableWait<String?>()
    waiter = wait
    startReading()
    defer { if waiter === wait { waiter = nil } }
    return try await wait.value()
  }

  private func startReading() {
    guard !isReading else { return }
    isReading = true
    var thread = pthread_t()
    let failure = pthread_create(&thread, nil, Self.read, nil)
    if failure == 0 { pthread_detach(thread) } else { arrived(nil) }
  }

  // Not isolated: it runs on that other thread.
  private nonisolated static let read: @Sendable @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? =
    {
      _ in
      let line = readLine(strippingNewline: true)
      HostActor.task { StandardInput.shared.arrived(line) }
      return nil
    }

  private func arrived(_ line: String?) {
    isReading = false
    if let waiter {
      self.waiter = nil
      waiter.finish(.success(line))
    } else {
      lines.append(line)
    }
  }
}
