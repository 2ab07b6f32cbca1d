import HostLoop
import Lua

/// A secret that a script may see to be there, hand back, and no more: what hooks of plugins get of a token.
final class SealedSecret: LuaObject {
  static let luaType = HostType(
    "sealed secret",
    "A secret in what a hook is told. It prints as [secret], and cannot be revealed or sent elsewhere.",
    describe: { _ in "[secret]" })
}
