/// What a sign-in is made with. Only what the account store needs is spelled out here; the rest is the flow's own.
package struct SignInOptions: Sendable {
  package var policy: String?
  package var accountType: String
  /// Asked for; kept with the account unless the provider granted others.
  package var scopes: [String]
  /// Whatever else the flow needs; passed on untouched.
  package var payload: any Sendable

  package init(
    policy: String? = nil, accountType: String = "default", scopes: [String] = [], payload: any Sendable = ()
  ) {
    self.policy = policy
    self.accountType = accountType
    self.scopes = scopes
    self.payload = payload
  }
}
