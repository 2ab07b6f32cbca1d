import CLua
import CLuaShims
import HostLoop

extension LuaState {
  private static let startedBy = "started by:"
  private static let title = "stack traceback:\n"

  /// The Lua stack of the code that runs at this moment, one line a level.
  package var traceback: String {
    host.pointee.running.map { String(traceback(of: $0, from: 1).trimmingPrefix(Self.title)) } ?? ""
  }

  /// The stack of the coroutine from `level` on, and below it the stacks of those that have resumed it.
  func traceback(of coroutine: LuaStack, from level: Int32) -> String {
    let own = ownTraceback(of: coroutine, from: level)
    guard let driven = current?.stack, driven != coroutine else { return own }
    var chain = [LuaStack?](repeating: nil, count: 200)
    let count = Int(luas_chain(host, driven, &chain, Int32(chain.count)))
    let nested = chain.prefix(count).compactMap { $0 }
    guard nested.first == coroutine else { return own }
    let outer = nested.dropFirst().map { ownTraceback(of: $0, from: 1).trimmingPrefix(Self.title) }
    return ([own] + outer.map { "resumed by:\n\($0)" }).joined(separator: "\n")
  }

  /// Joins the traceback of what a call has started to that of the call, with the line `link` between.
  package static func join(_ inner: String?, _ outer: String, by link: String? = nil) -> String {
    inner.map { "\($0)\n\(link ?? startedBy)\n\(outer.trimmingPrefix(title))" } ?? outer
  }

  private func ownTraceback(of coroutine: LuaStack, from level: Int32) -> String {
    // On the main thread's stack: an overflow leaves no room on the other.
    reserve(16, on: stack)
    luaL_traceback(stack, coroutine, nil, level)
    defer { luas_pop(stack, 1) }
    return value(at: -1, of: stack).string ?? ""
  }

  // MARK: Raised tables

  /// Remembers the traceback of a table that a script raised and that goes up as it is, with no place for it.
  func keep(_ traceback: String?, of table: LuaTable) {
    reserve(4, on: stack)
    lua_rawgeti(stack, luas_registryindex(), lua_Integer(traces))
    table.push(onto: stack)
    push(.string(traceback), onto: stack)
    lua_rawset(stack, -3)
    luas_pop(stack, 1)
  }

  func takeTraceback(of table: LuaTable) -> String? {
    reserve(4, on: stack)
    lua_rawgeti(stack, luas_registryindex(), lua_Integer(traces))
    table.push(onto: stack)
    lua_rawget(stack, -2)
    let traceback = value(at: -1, of: stack).string
    luas_pop(stack, 2)
    if traceback != nil { keep(nil, of: table) }
    return traceback
  }

  /// The places where coroutines stand that scripts have begun and not finished, though they still refer to them.
  package func unfinishedCoroutines() -> [String] {
    guard !isClosed, luas_unfinished(stack, nil, 0) > 0 else { return [] }
    collectGarbage()
    let count = luas_unfinished(stack, nil, 0)
    var coroutines = [LuaStack?](repeating: nil, count: Int(count))
    _ = luas_unfinished(stack, &coroutines, count)
    return coroutines.compactMap { coroutine in
      guard let coroutine, hasRoom(1, on: coroutine) else { return nil }
      return place(on: coroutine)
    }.sorted()
  }
}
