/// The actor of all code that uses Lua, curl or the account store. It runs on the one thread of `HostLoop`.
@globalActor
package actor HostActor {
  package static let shared = HostActor()

  package nonisolated var unownedExecutor: UnownedSerialExecutor { HostLoop.shared.asUnownedSerialExecutor() }

  /// Runs `operation` as `HostActor` code, for C callbacks on the loop's thread. Stops the program on another thread.
  @inline(__always)
  package static func assumeIsolated<T>(_ operation: @HostActor () throws -> T) rethrows -> T {
    HostLoop.shared.checkIsolated()
    // The closure's type differs only in its isolation, which the line above has proved. The standard library's
    // MainActor.assumeIsolated does the same.
    return try withoutActuallyEscaping(operation) { try unsafeBitCast($0, to: (() throws -> T).self)() }
  }

  /// Starts `operation` on the loop. The loop is also the preferred task executor: otherwise every resumed continuation would
  /// pass through the threads of the global pool, which takes 30 times longer.
  @discardableResult
  package static func task<T: Sendable>(
    _ operation: @escaping @HostActor @Sendable () async throws -> T
  ) -> Task<T, any Error> { Task(executorPreference: HostLoop.shared) { try await operation() } }
}
