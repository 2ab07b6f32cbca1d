import CLua
import CLuaShims
import HostLoop

extension LuaState {
  /// What `tostring` makes of a value, by its `__tostring` if it has one, cleaned of secrets.
  package func text(of value: LuaValue) -> String {
    push(value, onto: stack)
    luas_tolstring(stack, -1, nil)
    defer { luas_pop(stack, 2) }
    return cleanMessage(self.value(at: -1, of: stack).string ?? "")
  }
}
