package import Core
import HostLoop
package import JSON
package import OAuth

/// One way to sign in: what the account store keeps of it, and the flow.
package struct SignInRequest: Sendable {
  /// Runs a flow, and validates the tokens that it brings. The parameter counts the attempts from 1.
  /// - Returns: the tokens, and the claims that say who signed in, `iss` and `sub` among them.
  package typealias Flow = @HostActor @Sendable (_ attempt: Int) async throws -> (tokens: TokenSet, claims: JSON)

  package var policy: String?
  package var accountType: String
  /// The scopes asked for; kept with the account unless the provider granted others.
  package var scopes: [String]
  /// The settings that say where and as whom the account signs in, without secrets: an object, kept with the account so
  /// that it can be renewed without them.
  package var provider: JSON
  /// The secret of a confidential client (RFC 6749, 2.1); sealed into the store with the tokens.
  package var clientSecret: Secret?
  /// The user agent that shows the sign-in page.
  package var agent: String?
  /// The name of the agent's session, whose cookies later sign-ins of that name share.
  package var session: String?
  /// The name of the flow; nil for one without a name.
  package var flowName: String?
  /// The object of the caller that comes back with the failure of the request.
  package var caller: (any AnyObject & Sendable)?
  package var flow: Flow

  package init(
    policy: String? = nil, accountType: String = "default", scopes: [String] = [], provider: JSON = [:],
    clientSecret: Secret? = nil, agent: String? = nil, session: String? = nil, flowName: String? = nil,
    caller: (any AnyObject & Sendable)? = nil, flow: @escaping Flow
  ) {
    self.policy = policy
    self.accountType = accountType
    self.scopes = scopes
    self.provider = provider
    self.clientSecret = clientSecret
    self.agent = agent
    self.session = session
    self.flowName = flowName
    self.caller = caller
    self.flow = flow
  }
}
