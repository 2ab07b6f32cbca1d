import HostLoop
import Lua

/// `json.null`: JSON's null inside tables, where Lua's nil would be no entry at all.
final class JSONNull: LuaObject {
  static let shared = JSONNull()
  static let luaType = HostType("null", "JSON's null.", describe: { _ in "null" })
}
