import HostLoop

/// How deep calls may lie within each other that the host makes of functions of a script: children of `b2c.async`, handlers of
/// events, maps of imports, hooks, agents. A handler that starts what calls it would never come to an end.
extension LuaFunction {
  private static let deepest = 200

  /// - Throws: a `LuaError` with code `nested_too_deeply`.
  func demandRoomToNest() throws(LuaError) {
    guard let call = HostCall.current, call.nesting > Self.deepest else { return }
    let handler = place.map { "the function at \($0)" } ?? "the function"
    throw LuaError(
      code: "nested_too_deeply",
      message:
        "\(call.name) does not call \(handler): \(Self.deepest) calls of script functions lie within each other already",
      hint: "does the function start what calls it, without an end?")
  }
}
