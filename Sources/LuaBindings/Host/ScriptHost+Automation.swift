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
  var events: AccountEvents { automation.accountEvents }
  var leftovers: Leftovers { automation.leftovers }
  var openAccounts: AccountManager? {
    get { automation.openAccounts }
    set { automation.openAccounts = newValue }
  }
  var signedIn: Set<String> {
    get { automation.signedIn }
    set { automation.signedIn = newValue }
  }
  var mayBeSignedOut: Set<String> {
    get { automation.mayBeSignedOut }
    set { automation.mayBeSignedOut = newValue }
  }
  var sessions: [String: CookieJar] {
    get { automation.sessions }
    set { automation.sessions = newValue }
  }
  var pastedLines: @HostActor @Sendable () async throws -> String? { { try await LineInput.pastedLine() } }

  func flow(named name: String) async throws -> (function: LuaFunction, isStock: Bool) {
    try await registry.flow(named: name)
  }
  func format(_ arguments: Arguments, path: String) throws -> Registry.Format? {
    try registry.format(arguments, path: path)
  }

  func settings() throws -> Settings { try automation.settings() }
}
