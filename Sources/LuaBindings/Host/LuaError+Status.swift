package import Lua
import Permissions

extension LuaError {
  /// The exit status of a run that ends with this error.
  /// - Parameter memoryLimit: that of `--memory`, in bytes; 0 for none.
  package func exitStatus(memoryLimit: Int) -> Int32 {
    if isOutOfMemory(limit: memoryLimit) { return 124 }
    switch code {
    case "usage": return 2
    case PermissionDenied.code: return 4
    default: return code.hasPrefix("settings_") ? 3 : 1
    }
  }

  /// Returns whether the run reached the limit of `--memory`.
  package func isOutOfMemory(limit: Int) -> Bool { limit > 0 && message.hasSuffix("not enough memory") }
}
