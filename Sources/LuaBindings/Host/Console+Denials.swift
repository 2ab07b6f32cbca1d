import Automation
import Core
package import Lua
import Permissions

extension Console {
  /// Writes a denial that came back from a script, as the host made it: a person decides by it.
  /// - Parameters:
  ///   - name: what stands in front of it.
  ///   - showsPlace: whether the place in the script is told.
  /// - Returns: false for an error that is none of the host's denials; nothing is written then.
  package func write(denial error: LuaError, behind name: String, showsPlace: Bool = true) -> Bool {
    guard let decision = PermissionDenied.decision(of: error) else { return false }
    let place = showsPlace ? error.location.map { "\($0.displayableLines): " } : nil
    write("\(name) \(place ?? "")", decision.message)
    if let hint = decision.hint { write("  \(paint("hint:", "36")) ", hint) }
    return true
  }
}
