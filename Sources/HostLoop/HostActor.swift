/// The actor of everything that touches Lua, curl or the account store: all of it runs on the one thread of `HostLoop`.
@globalActor
package actor HostActor {
  package static let shared = HostActor()

  package nonisolated var unownedExecutor: UnownedSerialExecutor { HostLoop.shared.asUnownedSerialExecutor() }

  /// Runs `operation` as `HostActor` code; for C callbacks, which are on the loop's thread without Swift knowing it.
  /// Stops the program when called on another thread.
  @inline(__always)
  package static func assumeIsolated<T>(_ operation: @HostActor () throws -> T) rethrows -> T {
    HostLoop.shared.checkIsolated()
    // The closure's type differs only in its isolation, which the line above has just proved; the standard library's
    // MainActor.assumeIsolated does the same.
    return try withoutActuallyEscaping(operation) {
      try unsafeBitCast($0, to: (() throws -> T).self)()
    }
  }

  /// Starts `operation` on the loop. The task prefers the loop as its task executor too, without which every resumed
  /// continuation would pass through the threads of the global pool (30 times slower).
  @discardableResult
  package static func task<T: Sendable>(
    _ operation: @escaping @HostActor @Sendable () async throws -> T
  ) -> Task<T, any Error> {
    Task(executorPreference: HostLoop.shared) { try await operation() }
  }
}
