import HostLoop
import ImportFormats

/// A fact that a task of a shared import tells the others, by way of `SharedRun`.
enum SharedSignal: Sendable {
  /// A sentence for people.
  case notice(String)
  /// There are new blocks, or no further ones will come.
  case planned
  /// The server asks all requests to wait.
  case pause(seconds: Double)
  /// The worker with that ID must not send any more. Another ID is that of an earlier worker.
  case fenced(ImportError, worker: String)
  /// An error that ends the part of this machine.
  case failed(any Error)
}

/// Sends signals to the run.
typealias SharedSignals = AsyncStream<SharedSignal>.Continuation
