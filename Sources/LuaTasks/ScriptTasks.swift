import Automation
import Files
package import HostLoop
package import Imports
import Lua
package import LuaKit

/// The accounts, the imports, the formats and the task services of a run, for the modules of tasks.
@HostActor
package final class ScriptTasks {
  let accounts: ScriptAccounts
  /// The imports of the run.
  package let imports: RunImports
  /// The formats of files by name.
  package let formats: Formats
  /// The task services by name.
  package let services: Services
  /// Attaches a report to the run of a job.
  let attach: @HostActor (String) throws -> Void

  package init(_ accounts: ScriptAccounts, attach: @escaping @HostActor (String) throws -> Void) {
    self.accounts = accounts
    self.attach = attach
    imports = RunImports(accounts.context.run)
    formats = Formats(accounts.context)
    services = Services(accounts)
  }

  /// Forgets the open task services, at the end of the run.
  package func close() { services.close() }

  var context: ScriptContext { accounts.context }
  var session: Session { context.session }
}
