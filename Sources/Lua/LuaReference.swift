import CLua
import CLuaShims
package import HostLoop
import Synchronization

/// A Lua value that Swift keeps: anchored in the registry of its state until the last Swift reference is gone.
@HostActor
package class LuaReference {
  package let state: LuaState
  let index: Int32
  let type: Int32
  private let release: ReleasedReferences

  /// Takes the value on top of `stack` off it.
  init(state: LuaState, poppingFrom stack: LuaStack) {
    self.state = state
    state.referencesMade += 1
    type = lua_type(stack, -1)
    index = luaL_ref(stack, luas_registryindex())
    release = state.released
  }

  deinit {
    // Not here: a deinit may run inside Lua's garbage collector.
    release.add(index)
  }

  /// The name of the type, as Lua's `type` returns it.
  package var typeName: String { String(cString: lua_typename(state.stack, type)) }

  /// The same for the same Lua value, as long as the value exists.
  package var identity: UnsafeRawPointer? {
    push(onto: state.stack)
    defer { luas_pop(state.stack, 1) }
    return lua_topointer(state.stack, -1)
  }

  func push(onto stack: LuaStack) {
    state.checkOpen()
    lua_rawgeti(stack, luas_registryindex(), lua_Integer(index))
  }

  /// True if both are the same Lua value.
  package func isSame(as other: LuaReference) -> Bool {
    let stack = state.stack
    push(onto: stack)
    other.push(onto: stack)
    defer { luas_pop(stack, 2) }
    return lua_rawequal(stack, -1, -2) != 0
  }
}

/// Registry slots whose last Swift reference is gone, collected from any thread and freed by the state when it is safe.
final class ReleasedReferences: Sendable {
  private let indices = Mutex<[Int32]>([])

  func add(_ index: Int32) { indices.withLock { $0.append(index) } }

  func takeAll() -> [Int32] {
    indices.withLock { indices in
      defer { indices.removeAll(keepingCapacity: true) }
      return indices.isEmpty ? [] : indices
    }
  }
}
