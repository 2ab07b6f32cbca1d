import HostLoop
import Lua

/// How many calls of `b2c.async` lie within each other. A function that starts itself as its own child takes memory that is
/// not Lua's, which `--memory` does not count.
enum Nesting {
  private static let deepest = 200

  @TaskLocal private static var depth = 0

  /// Runs `body`, one deeper.
  /// - Throws: a `LuaError` with code `nested_too_deeply`; what `body` throws.
  @HostActor
  static func deeper(_ body: @HostActor () async throws -> Void) async throws {
    guard depth < deepest else {
      throw LuaError(
        code: "nested_too_deeply", message: "more than \(deepest) calls of b2c.async lie within each other",
        hint: "does a function start itself, without an end?")
    }
    try await $depth.withValue(depth + 1) { try await body() }
  }
}
