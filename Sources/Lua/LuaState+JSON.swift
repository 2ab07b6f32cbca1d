import CLua
import CLuaShims
import HostLoop

extension LuaState {
  /// The value of a JSON text (RFC 8259): objects are tables, arrays sequences with the metatable `arrays`, null is `null`.
  ///
  /// Nil for what is not JSON, and for what a parser may refuse with good reason: nesting deeper than `deepest` (256 at the
  /// most), a name twice in an object or with a NUL in it, an integer outside of `Int64`, a byte order mark. Who wants to say
  /// what is wrong asks a parser that does.
  /// - Parameter text: the same when this returns; it is not copied if nobody else has it.
  package func value(ofJSON text: inout [UInt8], null: any LuaObject, arrays: LuaTable, deepest: Int) -> LuaValue? {
    guard (try? UTF8Span(validating: text.span)) != nil else { return nil }
    text.append(0)
    defer { text.removeLast() }
    // Else the collector would take for alive what only Swift had, such as the list before this one.
    freeReleased()
    reserve(8, on: stack)
    push(null, onto: stack)
    arrays.push(onto: stack)
    let isRead = text.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return false }
      return luas_pushjson(stack, start.assumingMemoryBound(to: CChar.self), bytes.count - 1, Int32(clamping: deepest))
    }
    guard isRead else { return nil }
    defer { luas_pop(stack, 1) }
    return value(at: -1, of: stack)
  }
}
