import Accounts
package import Automation
package import HostLoop
package import Lua
package import LuaKit

/// The accounts, the flows and the agents of a run, for the modules of sign-ins.
@HostActor
package final class ScriptSignIns {
  /// An agent by its name.
  package enum Agent: Sendable {
    case native
    case lua(LuaFunction)
  }

  /// The accounts as Lua values.
  package let accounts: ScriptAccounts
  /// The flows by name.
  package let flows: Flows
  /// The agents by name.
  package lazy var agents = Catalog<Agent>("agent", stock: AgentChoice.Kind.native.map { ($0.rawValue, .native) })
  /// The values that this run of an experiment uses in place of the script's own.
  package var variation = Variation()

  package init(_ accounts: ScriptAccounts) {
    self.accounts = accounts
    flows = Flows(accounts.context)
    session.accounts.renewByFlow = { [weak flows] in
      guard let flows else { throw AccountError.runEnded }
      return try await flows.renew($0, $1, $2)
    }
    context.run.agents.plugin = { [weak self] name in
      guard case .lua(let function)? = self?.agents[name] else { return nil }
      return LuaUserAgent(name: name, function: function)
    }
  }

  /// Forgets the accounts and the functions of the script, at the end of the run.
  package func close() {
    accounts.forgetAll()
    flows.refreshes = [:]
  }

  /// The run and its Lua state.
  package var context: ScriptContext { accounts.context }
  /// The session of the run.
  package var session: Session { context.session }
}
