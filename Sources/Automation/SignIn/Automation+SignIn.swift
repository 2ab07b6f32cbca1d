package import Accounts
import Core
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

/// Why a run cannot sign in, sign out, or find an account.
package struct SignInError: Failure {
  package enum Kind: String, Sendable {
    /// The flow of the sign-in has ended.
    case flowOver = "flow_over"
    case noAccount = "no_account"
    /// Several accounts go by the name.
    case ambiguousAccount = "ambiguous_account"
    /// The provider did not end the session, or did not revoke the refresh token.
    case signOutFailed = "sign_out_failed"
  }

  package var kind: Kind
  package var message: String
  package var hint: String?
  package var status: Int?

  init(_ kind: Kind, _ message: String, hint: String? = nil, status: Int? = nil) {
    self.kind = kind
    self.message = message
    self.hint = hint
    self.status = status
  }

  package var code: String { kind.rawValue }
}
