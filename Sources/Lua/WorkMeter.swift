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

extension LuaState {
  struct Counts {
    /// Since the last `freeReleased`.
    var references = 0
    /// The values that the host has read out of tables since it last called Lua, or Lua called it.
    var read = 0
    var mostRead = 1 << 26
    /// The tables among the last `visits`, once many values were read.
    var seen: Set<UnsafeRawPointer> = []
    var visits = 0
    var last: UnsafeRawPointer?

    /// So many values are read before anybody looks whether they are the same again and again.
    static let unwatched = 1 << 21
    static let window = 1 << 16
  }

  /// The most values that are read in one call.
  package var mostRead: Int {
    get { counts.mostRead }
    set { counts.mostRead = newValue }
  }

  /// Counts values that the host reads out of tables. False if they are too many. Throws when the script is to stop.
  func countRead(_ values: Int) throws(LuaError) -> Bool {
    let before = counts.read
    counts.read += values
    if before >> 14 != counts.read >> 14 { try check() }
    return counts.read <= counts.mostRead
  }

  /// False if the host has come to the same few tables so often that it may never end: tables that refer to each other may be
  /// reached in more ways than there is time for. A table that comes again at once counts once.
  func countVisit(_ table: LuaTable) -> Bool {
    guard counts.read > Counts.unwatched, let identity = table.identity, identity != counts.last else { return true }
    counts.last = identity
    counts.seen.insert(identity)
    counts.visits += 1
    guard counts.visits == Counts.window else { return true }
    defer {
      counts.seen.removeAll()
      counts.visits = 0
    }
    return counts.seen.count >= Counts.window / 64
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
