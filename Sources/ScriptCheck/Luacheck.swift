import Files
import FoundationEssentials
import Lua

/// The system's luacheck, a library in Lua whose lexer, parser and analyses the check stands on.
struct Luacheck {
  /// The folders in which distributions and LuaRocks put modules.
  private static let folders = ["/usr/local/share/lua", "/usr/share/lua"].flatMap { folder in
    ["5.4", "5.3", "5.1"].map { "\(folder)/\($0)" }
  }

  private let folder: String

  /// - Throws: `no_luacheck`
  init(in folders: [String] = folders) throws(LuaError) {
    guard let folder = folders.first(where: { FileSystem.exists("\($0)/luacheck/check.lua") }) else {
      throw LuaError(
        code: "no_luacheck", message: "check needs luacheck, which is not installed",
        hint: "install the package lua-check (apt install lua-check)")
    }
    self.folder = folder
  }

  func source(of module: String) -> [UInt8]? {
    let path = "\(folder)/\(module.replacing(".", with: "/"))"
    return ["\(path).lua", "\(path)/init.lua"].lazy.compactMap { try? FileSystem.contents(of: $0) }.first
  }
}
