import CLua
import CLuaShims
package import HostLoop

/// Makes tables that have the same names, one after the other: the rows of a file, of which there may be millions.
@HostActor
package final class RowMaker {
  private let state: LuaState
  private let names: LuaTable
  private let count: Int
  private let metatable: LuaTable?

  package init(_ names: [String], metatable: LuaTable? = nil, _ state: LuaState) {
    self.state = state
    self.metatable = metatable
    count = names.count
    // Kept as a sequence, so that no name is hashed again for each row.
    let sequence = state.makeTable()
    for (offset, name) in names.enumerated() { sequence[.integer(Int64(offset + 1))] = .string(name) }
    self.names = sequence
  }

  /// - Parameter values: called with each name's position from 0, and a function for its value. A name may have no
  ///   value.
  package func table(_ values: (Int, (UnsafeBufferPointer<UInt8>) -> Void) -> Void) -> LuaTable {
    let stack = state.stack
    state.reserve(5, on: stack)
    names.push(onto: stack)
    lua_createtable(stack, 0, Int32(clamping: count))
    for offset in 0..<count {
      values(offset) { bytes in
        lua_rawgeti(stack, -2, lua_Integer(offset + 1))
        let pointer = bytes.baseAddress.map { UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self) }
        _ = lua_pushlstring(stack, pointer, bytes.count)
        lua_rawset(stack, -3)
      }
    }
    if let metatable {
      metatable.push(onto: stack)
      lua_setmetatable(stack, -2)
    }
    let table = LuaTable(state: state, poppingFrom: stack)
    luas_pop(stack, 1)
    return table
  }
}
