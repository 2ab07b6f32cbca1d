import CLuaShims
package import HostLoop

extension LuaState {
  /// The bytes that `--memory` leaves the script.
  package var memoryLeft: Int {
    let (limit, used) = (host.pointee.limit, host.pointee.used)
    return limit == 0 ? .max : max(0, Int(clamping: limit) - Int(clamping: used))
  }

  /// To be called now and then by host functions that take long or make much: the script may be to stop, or have no memory for
  /// it.
  /// - Parameter bytes: how much the function has made so far, and Lua does not know of.
  package func check(holding bytes: Int = 0) throws(LuaError) {
    // A caller that catches this error finds that the script is to stop.
    if mustStop { throw LuaError(code: "canceled", message: "interrupted") }
    try demandMemory(bytes)
  }

  /// - Throws: an error where so many bytes more are too many, also without the garbage.
  func demandMemory(_ bytes: Int) throws(LuaError) {
    if bytes <= memoryLeft { return }
    luas_collectall(stack)
    if bytes > memoryLeft { throw LuaError.outOfMemory }
  }
}

extension LuaError {
  /// In Lua's own words.
  package static let outOfMemory = LuaError(code: "out_of_memory", message: "not enough memory")
}

/// Counts what a host function makes for a script, and looks after each so many bytes whether it may go on.
@HostActor
package final class WorkMeter {
  private static let interval = 256 << 10
  /// The most that one call makes, in bytes.
  private static let most = 2 << 30

  private let state: LuaState
  private var made = 0
  private var next = interval

  package init(_ state: LuaState) { self.state = state }

  /// Counts bytes. Throws when the script is to stop, or has no memory for them.
  package func count(_ bytes: Int) throws(LuaError) {
    made += bytes
    guard made >= next else { return }
    next = made + Self.interval
    guard made <= Self.most else {
      throw LuaError(code: "too_large", message: "the result would have more than \(Self.most >> 30) GiB")
    }
    try state.check(holding: made)
  }
}
