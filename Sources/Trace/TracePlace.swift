import HostLoop
import JSON
import Lua

/// Where in the script something was asked for.
package struct TracePlace {
  /// `quickstart.lua:24`; nil where no script waits.
  package var line: String?
  package var call: String?
  /// The lines that wait for that one's coroutine, the innermost first.
  package var via: [String]
  package var coroutine: Int?

  /// The call that waits at this moment, in whose name the host acts.
  @HostActor
  package static var current: TracePlace { TracePlace(HostCall.current) }

  @HostActor
  init(_ call: HostCall?) {
    line = call?.place
    self.call = call?.name
    coroutine = call?.coroutine
    via = []
    var caller = call?.caller
    while let next = caller {
      if let place = next.place { via.append(place) }
      caller = next.caller
    }
  }

  var members: [String: JSON] {
    var members: [String: JSON] = [:]
    members["line"] = line.map { .string($0) }
    members["call"] = call.map { .string($0) }
    if !via.isEmpty { members["via"] = .array(via.map { .string($0) }) }
    members["coroutine"] = coroutine.map { .integer(Int64($0)) }
    return members
  }
}
