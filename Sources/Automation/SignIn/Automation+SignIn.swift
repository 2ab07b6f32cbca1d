package import Accounts
import HostLoop
package import OAuth
package import Settings

extension Automation {
  /// A sign-in by a flow: runs it in a context of its own, and validates the tokens that it returns.
  /// - Parameter flowName: nil for a flow without a name.
  package func signInRequest(
    _ settings: Settings, policy: String?, accountType: String, scopes: [String], agent: AgentChoice, flowName: String?,
    flow: @escaping @HostActor @Sendable (FlowContext) async throws -> TokenSet
  ) -> SignInRequest {
    SignInRequest(
      policy: policy, accountType: accountType, scopes: scopes, provider: settings.provider,
      clientSecret: settings.clientSecret, agent: agent.kind.rawValue, session: agent.session, flowName: flowName
    ) { [unowned self] _ in
      let client = clients.client(for: settings)
      let context = FlowContext(settings: settings, client: client, policy: policy, agent: agent)
      let manager = try accounts.manager()
      defer { manager.compareClocks(client.clockDifference) }
      let tokens = try await context.run(flow)
      let claims = try await client.claims(of: tokens, policy: policy, nonce: context.nonce, maxAge: context.maxAge)
      return (tokens, claims)
    }
  }

  /// Signs in. Scripts of this run may use the tokens of the account from now on.
  package func signIn(_ request: SignInRequest) async throws -> Account {
    let account = try await accounts.manager().signIn(request)
    accounts.signedIn.insert(account.id)
    return account
  }

  /// The context of the flow that runs; outside a flow, that of this run's settings.
  package func flowContext() throws -> FlowContext { try FlowContext.current ?? runContext() }

  /// The context of this run's settings, also inside a flow with others.
  package func runContext() throws -> FlowContext {
    let settings = try settings()
    return FlowContext(settings: settings, client: clients.client(for: settings))
  }
}
