package import Automation
import HostLoop
import LocalTenant
package import Permissions
import Settings

/// Shortcuts to the parts of the run that do not know Lua.
extension ScriptHost {
  package typealias Configuration = Automation.Configuration

  package var configuration: Configuration { automation.configuration }
  package var console: Console { automation.console }
  package var permissions: Permissions { automation.permissions }
  package var failedRows: Int {
    get { automation.failedRows }
    set { automation.failedRows = newValue }
  }
  var tenant: LocalTenant? { automation.tenant }

  func settings() throws -> Settings { try automation.settings() }
}
