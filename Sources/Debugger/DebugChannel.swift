import Core
import Files
import Glibc
import HostLoop
package import JSON
import Lua

/// The connection to the client of a debugger. A separate thread reads the requests, so that they arrive also while a script
/// computes or is halted where it cannot be suspended.
package final class DebugChannel: @unchecked Sendable {
  // Unchecked: `state` is used with the mutex held only; everything else is set once.
  private struct State {
    var requests: [JSON] = []
    var isClosed = false
    var problem: String?
    /// True if something has arrived since the last `take`.
    var hasNews = false
    var lastNumber: Int64 = 0
    var isReading = false
  }

  private let input: CInt
  private let output: CInt
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let arrival = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var state = State()

  /// - Parameters:
  ///   - input: the descriptor of the requests; the channel owns it.
  ///   - output: the descriptor of the responses; may be the same.
  package init(input: CInt, output: CInt) {
    self.input = input
    self.output = output
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
    arrival.initialize(to: pthread_cond_t())
    pthread_cond_init(arrival, nil)
  }

  deinit {
    pthread_cond_destroy(arrival)
    pthread_mutex_destroy(mutex)
    arrival.deallocate()
    mutex.deallocate()
  }

  /// Begins to read. `action` runs on the loop when requests have arrived, or the client has gone.
  package func start(_ action: @escaping @HostActor @Sendable () -> Void) -> Bool {
    SystemThread.start { [self] in
      var reader = DebugMessageReader()
      var bytes = [UInt8](repeating: 0, count: 64 << 10)
      while true {
        let count = read(input, &bytes, bytes.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { break }
        reader.append(bytes.prefix(count))
        do throws(DebugMessageReader.Malformed) {
          while let message = try reader.next() { put { $0.requests.append(message) } }
        } catch {
          put { $0.problem = error.description }
          break
        }
        HostActor.task { action() }
      }
      put { $0.isClosed = true }
      HostActor.task { action() }
    } != nil
  }

  private func put(_ change: (inout State) -> Void) {
    pthread_mutex_lock(mutex)
    change(&state)
    state.hasNews = true
    // A script that computes looks for requests at its next line.
    Watch.callAttention(true)
    pthread_cond_signal(arrival)
    pthread_mutex_unlock(mutex)
  }

  /// The requests that have arrived since the last call, and whether the client has gone.
  package func take() -> (requests: [JSON], isClosed: Bool, problem: String?) {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    defer { (state.requests, state.hasNews) = ([], false) }
    return (state.requests, state.isClosed, state.problem)
  }

  /// Lets a script look for requests at each line, or at none until more arrive. Requests that have arrived meanwhile count.
  package func callAttention(_ isWanted: Bool) {
    pthread_mutex_lock(mutex)
    Watch.callAttention(isWanted || state.hasNews)
    pthread_mutex_unlock(mutex)
  }

  /// Waits until there is something to take, but no longer than a twentieth of a second.
  package func wait() {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    guard state.requests.isEmpty, !state.isClosed else { return }
    var limit = timespec()
    clock_gettime(CLOCK_REALTIME, &limit)
    limit.tv_nsec += 50_000_000
    if limit.tv_nsec >= 1_000_000_000 {
      limit.tv_sec += 1
      limit.tv_nsec -= 1_000_000_000
    }
    pthread_cond_timedwait(arrival, mutex, &limit)
  }

  /// Sends a response or an event, which gets the next number. Secrets are taken out. From any thread.
  package func send(_ message: [String: JSON]) {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    guard !state.isClosed else { return }
    state.lastNumber += 1
    var message = message
    message["seq"] = .integer(state.lastNumber)
    do { try OpenFile.write(DebugMessage.encoded(.object(message)), to: output) } catch { state.isClosed = true }
  }

  package func send(event name: String, _ body: [String: JSON] = [:]) {
    send(["type": "event", "event": .string(name), "body": .object(body)])
  }

  /// Shows a text in the console of the client.
  package func send(output text: String, _ category: String, line: (path: String, line: Int)? = nil) {
    var body: [String: JSON] = ["category": .string(category), "output": .string(OutputText(text).text)]
    if let line {
      body["source"] = ["path": .string(line.path), "name": .string(line.path.lastName)]
      body["line"] = .integer(Int64(line.line))
    }
    send(event: "output", body)
  }
}
