import CLua
import CLuaShims
import HostLoop

extension LuaState {
  /// What `tostring` makes of a value, by its `__tostring` if it has one, cleaned of secrets.
  package func text(of value: LuaValue) -> String { cleanMessage(rawText(of: value)) }

  /// The same as it is, for what is sent.
  package func rawText(of value: LuaValue) -> String {
    push(value, onto: stack)
    luas_tolstring(stack, -1, nil)
    defer { luas_pop(stack, 2) }
    return self.value(at: -1, of: stack).string ?? ""
  }
}
