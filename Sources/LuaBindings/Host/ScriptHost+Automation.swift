import Accounts
package import Automation
import HTTPClient
import HostLoop
import LocalTenant
import Lua
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
  var network: ScriptNetwork { automation.network }
  var http: HTTPClient { automation.network.client }
  var tenant: LocalTenant? { automation.tenant }
  var events: AccountEvents { automation.accounts.events }
  var leftovers: Leftovers { automation.leftovers }

  func flow(named name: String) async throws -> (function: LuaFunction, isStock: Bool) {
    try await registry.flow(named: name)
  }

  func settings() throws -> Settings { try automation.settings() }
}
