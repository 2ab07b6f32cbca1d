import Automation
package import JSON
package import LocalTenant
import LuaKit

/// A local tenant in this process is the tenant of a run.
extension LocalTenant: RunTenant {
  package func clientKey(named name: String) -> JSON? {
    guard name == Self.clientKeyName else { return nil }
    return Self.clientKey
  }
}
