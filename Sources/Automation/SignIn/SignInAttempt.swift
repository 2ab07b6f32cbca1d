package import Accounts
package import Core
package import HostLoop
package import JOSE
package import OAuth
package import Settings
import UserAgents

/// One attempt to get tokens by a flow: in a sign-in, or to renew the tokens of an account. Calls of the flow work with it,
/// also in other coroutines. Calls outside of a flow get one of the run's settings.
@HostActor
package final class SignInAttempt: Sendable {
  package let provider: Provider
  package let agent: AgentChoice
  /// The policy that a call of the flow takes when it is given none; nil for the default one.
  package let policy: String?
  /// The flow's last authorization request, which the redirect and the ID token must answer.
  package var authorization: AuthorizationRequest?
  /// The kind of sign-in that a resource demands (RFC 9470), which the ID token must confirm.
  package var demand: (acrValues: [String]?, maxAge: Int?)?
  /// The key that the tokens of the sign-in are bound to; nil for bearer tokens.
  package var proofKey: ProofKey?
  /// The key that calls of the flow have made or named, if the sign-in has none. A code is bound to the key of its request, so
  /// that one sign-in needs one key.
  private var keyOfCalls: ProofKey?
  /// The scopes of the account whose tokens the flow renews; nil in a sign-in.
  private let grantScopes: [String]?
  private var openListener: LoopbackListener?
  private var isOver = false

  init(
    _ provider: Provider, policy: String? = nil, agent: AgentChoice = AgentChoice(), grantScopes: [String]? = nil
  ) {
    self.provider = provider
    self.policy = policy
    self.agent = agent
    self.grantScopes = grantScopes
  }

  package var settings: Settings { provider.settings }

  /// Ends the attempt. The port of the redirect URI is free again.
  func end() {
    isOver = true
    openListener?.close()
    openListener = nil
  }

  /// The seconds since the user last typed a password, as the last authorization request or the demand has them.
  var maxAge: Int? { demand?.maxAge ?? authorization?.hints[.maxAge].flatMap { Int($0) } }

  /// True if the last authorization request asked for a response in a JWT (JARM).
  package var expectsSignedResponse: Bool {
    guard let request = authorization else { return false }
    let mode = AuthorizationRequest.Hint.responseMode
    return (request.parameters[mode.rawValue] ?? request.hints[mode] ?? settings.additionalParameters[mode.rawValue])
      .map { $0 == "jwt" || $0.hasSuffix(".jwt") } ?? false
  }

  /// The key of a call of the flow that asks for one: the key of the sign-in, or of the first such call, or a new one.
  /// - Parameter given: a key that the call names; nil for any.
  package func proofKey(for given: PrivateKey?) async throws(OAuthError) -> ProofKey {
    if given == nil, let key = proofKey ?? keyOfCalls { return key }
    let key = try await provider.proofKey(given, policy: policy)
    // Another call may have made one meanwhile.
    keyOfCalls = keyOfCalls ?? key
    return given == nil ? keyOfCalls ?? key : key
  }

  /// Asks the token endpoint.
  package func token(_ request: TokenRequest) async throws(OAuthError) -> TokenSet {
    var request = request
    request.policy = request.policy ?? policy
    request.grantScopes = grantScopes
    return try await TokenEndpoint(provider).token(request)
  }

  /// The redirect URI of the sign-in: with the system's browser a port of this machine, which is taken at the first call;
  /// else that of the settings.
  package func redirectURI() throws -> String {
    guard agent.kind == .system else { return try settings.redirectURL }
    return try listener().redirectURI
  }

  /// The listener to which the system's browser comes back.
  func listener() throws -> LoopbackListener {
    if let openListener { return openListener }
    guard !isOver else {
      throw SignInError(
        .flowOver, "the flow is over, and nothing comes back to it", hint: "use the context while the flow runs")
    }
    let registered = try settings.redirectURL
    let listener =
      try LoopbackListener.canListen(on: registered) ? LoopbackListener(redirectURI: registered) : LoopbackListener()
    openListener = listener
    return listener
  }
}

extension Session {
  /// An attempt with the given settings.
  package func attempt(_ settings: Settings, policy: String?, agent: AgentChoice) -> SignInAttempt {
    SignInAttempt(providers.provider(for: settings), policy: policy, agent: agent)
  }

  /// An attempt with this run's settings, for calls outside of a flow.
  package func attempt() throws -> SignInAttempt { SignInAttempt(providers.provider(for: try settings())) }

  /// The request of an attempt by a flow. `flowName` is nil without a name.
  /// - Parameter caller: comes back with the failure of the attempt.
  package func signInRequest(
    _ attempt: SignInAttempt, accountType: String, scopes: [String], flowName: String?,
    caller: (any AnyObject & Sendable)?, flow: @escaping @HostActor @Sendable () async throws -> TokenSet
  ) -> SignInRequest {
    let (settings, agent) = (attempt.settings, attempt.agent)
    return SignInRequest(
      policy: attempt.policy, accountType: accountType, scopes: scopes, provider: settings.provider,
      clientSecret: settings.clientSecret, agent: agent.kind.rawValue, session: agent.session, flowName: flowName,
      caller: caller
    ) { [accounts] _ in
      let manager = try await accounts.manager()
      defer {
        attempt.end()
        manager.compareClocks(attempt.provider.clockDifference)
      }
      let tokens = try await flow()
      let claims = try await IDTokenValidator(attempt.provider).claims(
        of: tokens, policy: attempt.policy, nonce: attempt.authorization?.nonce, maxAge: attempt.maxAge,
        acrValues: attempt.demand?.acrValues)
      return (tokens, claims)
    }
  }

  /// Signs in. Scripts of this run may use the tokens of the account from now on.
  package func signIn(_ request: SignInRequest) async throws -> Account {
    let account = try await accounts.manager().signIn(request)
    accounts.signedIn.insert(account.id)
    return account
  }
}

/// Why a run cannot sign in, sign out, or find an account.
package typealias SignInError = DomainError<SignInProblem>

/// The kinds of `SignInError`.
package enum SignInProblem: String, FailureKind {
  /// The flow of the sign-in has ended.
  case flowOver = "flow_over"
  case noAccount = "no_account"
  /// Several accounts go by the name.
  case ambiguousAccount = "ambiguous_account"
  /// The provider did not end the session, or did not revoke the refresh token.
  case signOutFailed = "sign_out_failed"
}
