/// The actor of all code that uses Lua, curl or the account store. It runs on the one thread of `HostLoop`.
@globalActor
package actor HostActor {
  package static let shared = HostActor()

  package nonisolated var unownedExecutor: UnownedSerialExecutor { HostLoop.shared.asUnownedSerialExecutor() }

  /// Runs `operation` as `HostActor` code, for C callbacks on the loop's thread. Stops the program on another thread.
  @inline(__always)
  package static func assumeIsolated<T, E: Error>(
    _ operation: @escaping @HostActor () throws(E) -> T
  ) throws(E) -> T {
    HostLoop.shared.checkIsolated()
    // The closure's type differs only in its isolation, which the line above has proved. The standard library's
    // MainActor.assumeIsolated does the same. The closure is escaping because withoutActuallyEscaping would put the length
    // of this file's path into the program, which then would depend on the folder of the build.
    return try unsafeBitCast(operation, to: (() throws(E) -> T).self)()
  }

  /// Starts `operation` on the loop. The loop is also the preferred task executor: otherwise every resumed continuation would
  /// pass through the threads of the global pool, which takes 30 times longer.
  @discardableResult
  package static func task<T: Sendable>(
    _ operation: @escaping @HostActor @Sendable () async throws -> T
  ) -> Task<T, any Error> { Task(executorPreference: HostLoop.shared) { try await operation() } }
}
