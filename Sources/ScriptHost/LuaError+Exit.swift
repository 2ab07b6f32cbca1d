package import Automation
import Core
import ImportFormats
package import Lua
import LuaKit
import Permissions

extension LuaError {
  /// The exit status of a run that ends with this error. `memoryLimit` is `--memory` in bytes; 0 for none.
  package func exitStatus(memoryLimit: Int) -> Int32 {
    if isOutOfMemory(limit: memoryLimit) { return 124 }
    switch code {
    case "usage": return 2
    case let code where Self.isDecidedByOption.contains(code): return 2
    case PermissionDenied.code: return 4
    default: return code.hasPrefix("settings_") ? 3 : 1
    }
  }

  private static let isDecidedByOption = [
    ImportError.Kind.doubtful, .importedBefore, .missingField, .noCells, .unknownList,
  ].map(\.rawValue)

  /// Returns whether the run reached the limit of `--memory`.
  package func isOutOfMemory(limit: Int) -> Bool { limit > 0 && message.hasSuffix("not enough memory") }
}

extension Console {
  /// Writes a denial that came back from a script, as the host made it: a person decides by it.
  /// - Returns: false for an error that is none of the host's denials; nothing is written then.
  package func write(denial error: LuaError, behind name: String, showsPlace: Bool = true) -> Bool {
    guard let decision = PermissionDenied.decision(of: error) else { return false }
    let place = showsPlace ? error.location.map { "\($0.displayableLines): " } : nil
    write("\(name) \(place ?? "")", decision.message)
    if let hint = decision.hint { write("  \(paint("hint:", "36")) ", hint) }
    return true
  }
}
