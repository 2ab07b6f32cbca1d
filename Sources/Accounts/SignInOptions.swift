package import Core
package import JSON

/// What a sign-in is made with. Only what the account store needs is spelled out here; the rest is the flow's own.
package struct SignInOptions: Sendable {
  package var policy: String?
  package var accountType: String
  /// Asked for; kept with the account unless the provider granted others.
  package var scopes: [String]
  /// The settings that say where and as whom the account signs in, without secrets: an object, kept with the account so
  /// that it can be renewed without them.
  package var provider: JSON
  /// Of a confidential client (RFC 6749, 2.1); sealed into the store with the tokens.
  package var clientSecret: Secret?
  /// The user agent that showed the sign-in page.
  package var agent: String?
  /// The name of the agent's session, whose cookies later sign-ins of that name share.
  package var session: String?
  /// Whatever else the flow needs; passed on untouched.
  package var payload: any Sendable

  package init(
    policy: String? = nil, accountType: String = "default", scopes: [String] = [], provider: JSON = [:],
    clientSecret: Secret? = nil, agent: String? = nil,
    session: String? = nil, payload: any Sendable = ()
  ) {
    self.policy = policy
    self.accountType = accountType
    self.scopes = scopes
    self.provider = provider
    self.clientSecret = clientSecret
    self.agent = agent
    self.session = session
    self.payload = payload
  }
}
