import CLuaShims
import Glibc
import HostLoop

/// The place of a script that is about to be ended with the process.
package struct ScriptPlace: Sendable {
  /// Script and line, `import.lua:12`; empty when there is no knowing.
  package let line: String
  /// The host function that is in control, `json.encode`; empty where there is none.
  package let call: String

  package init(line: String, call: String) {
    self.line = line
    self.call = call
  }

  /// `ended at import.lua:12, in the middle of json.encode, which does not stop`
  package var sentence: String {
    "ended \(at)in the middle of \(call.isEmpty ? "a call that" : "\(call), which") does not stop"
  }

  /// `at import.lua:12, `, or nothing.
  package var at: String { line.isEmpty ? "" : "at \(line), " }
}

extension LuaState {
  /// The place of the script; nil when Lua's thread does not answer or has no script. That thread has then ended: the
  /// process must end, too. Not called on that thread.
  package nonisolated static func finalPlace(bySignal number: Int32) -> ScriptPlace? {
    askPlace(LUAS_FINAL_PLACE, number, milliseconds: 50)
  }

  /// The same where Lua's C code is in control, and nothing new has begun for long: nil otherwise, and the thread goes on.
  nonisolated static func stuckPlace(bySignal number: Int32) -> ScriptPlace? {
    askPlace(LUAS_PLACE, number, milliseconds: 20)
  }

  private nonisolated static func askPlace(_ request: Int, _ signal: Int32, milliseconds: Int32) -> ScriptPlace? {
    luas_prepare(Int32(request))
    HostLoop.shared.send(signal: signal)
    var call: UnsafePointer<CChar>?
    guard let line = luas_stuckplace(milliseconds, &call) else { return nil }
    return ScriptPlace(line: String(cString: line), call: call.map { String(cString: $0) } ?? "")
  }

  /// Milliseconds for the end: another thread may hold a lock that it does not give back.
  private nonisolated static let lastSecond: Int32 = 1000

  /// To be called by whoever is about to end the process with `status`: ends the programs that scripts wait for, and makes
  /// sure that the end comes, also where a lock is not to be had.
  package nonisolated static func prepareToEnd(status: Int32) {
    luas_endafter(lastSecond, status)
    luas_endchildren()
  }

  /// `luas_whereabouts`, in a signal handler of the loop's thread.
  nonisolated static let whereabouts: luas_whereabouts = { isolatedWhereabouts($0, $1, $2, $3) }

  /// The thread is the loop's, without Swift knowing it.
  private nonisolated static let isolatedWhereabouts = unsafeBitCast(
    { findCall($0, $1, $2, $3) } as @HostActor @Sendable (Host, UnsafeMutableRawPointer?, Name, Int32) -> LuaStack?,
    to: (@Sendable (Host, UnsafeMutableRawPointer?, Name, Int32) -> LuaStack?).self)

  private typealias Host = UnsafeMutablePointer<luas_host>?
  private typealias Name = UnsafeMutablePointer<CChar>?

  private static func findCall(_ host: Host, _ invoked: UnsafeMutableRawPointer?, _ name: Name, _ size: Int32)
    -> LuaStack?
  {
    if let invoked {
      write(BoundFunction.at(invoked).function.name, to: name, size)
      return nil
    }
    if let call = HostCall.current {
      write(call.name, to: name, size)
      return call.waitingStack
    }
    guard let owner = host?.pointee.owner else { return nil }
    let state = Unmanaged<LuaState>.fromOpaque(owner).takeUnretainedValue()
    let waiting = state.driven.values.filter { $0.waiting != nil }.max { $0.number < $1.number }
    guard let waiting, let call = waiting.waiting else { return nil }
    write(call.name, to: name, size)
    return waiting.stack
  }

  private nonisolated static func write(_ text: String, to buffer: UnsafeMutablePointer<CChar>?, _ size: Int32) {
    guard let buffer, size > 0 else { return }
    var count = 0
    for byte in text.utf8.prefix(Int(size) - 1) {
      buffer[count] = CChar(bitPattern: byte)
      count += 1
    }
    buffer[count] = 0
  }
}
