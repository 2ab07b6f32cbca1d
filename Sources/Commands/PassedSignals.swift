import Synchronization

/// SIGINT, SIGTERM and SIGHUP while a server handles them itself.
package enum PassedSignals {
  private static let receiver = Mutex<(@Sendable (Int32) -> Void)?>(nil)

  /// From now on `receiver` gets the signals, and they do nothing else; nil: they end the process again.
  static func pass(to receiver: (@Sendable (Int32) -> Void)?) { Self.receiver.withLock { $0 = receiver } }

  /// The receiver of now; nil if the signals end the process.
  package static var current: (@Sendable (Int32) -> Void)? { receiver.withLock { $0 } }
}
