package import Accounts
package import Core
package import HostLoop
package import JOSE
package import OAuth
package import Settings
import UserAgents

/// The settings, client and agent of one sign-in, for its flow: also for what the flow calls in another coroutine.
@HostActor
package final class FlowContext: Sendable {
  package let settings: Settings
  package let client: OAuthClient
  package let agent: AgentChoice
  /// The sign-in's policy, which a call of the flow takes when it is given none; nil for the default one.
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
  var grantScopes: [String]?
  /// The responses of the token endpoint to the flow. The response that the flow returns says how its tokens are renewed.
  private var responses: [TokenSet] = []
  private var openListener: LoopbackListener?
  private var isOver = false

  /// The context of the flow that runs; nil outside of a flow.
  @TaskLocal package static var current: FlowContext?

  init(settings: Settings, client: OAuthClient, policy: String? = nil, agent: AgentChoice = AgentChoice()) {
    self.settings = settings
    self.client = client
    self.policy = policy
    self.agent = agent
  }

  /// Runs a flow in this context. The port of the redirect URI is free again at its end.
  func run(_ flow: @HostActor (FlowContext) async throws -> TokenSet) async throws -> TokenSet {
    defer {
      isOver = true
      openListener?.close()
      openListener = nil
    }
    return try await Self.$current.withValue(self) { try await flow(self) }
  }

  /// True if the last authorization request asked for a response in a JWT (JARM).
  package var expectsSignedResponse: Bool {
    guard let request = authorization else { return false }
    let mode = "response_mode"
    return (request.parameters[mode] ?? request.responseMode ?? settings.additionalParameters[mode])
      .map { $0 == "jwt" || $0.hasSuffix(".jwt") } ?? false
  }

  /// The key of a call of the flow that asks for one: the key of the sign-in, or of the first such call, or a new one.
  /// - Parameter given: a key that the call names; nil for any.
  package func proofKey(for given: PrivateKey?) async throws(OAuthError) -> ProofKey {
    if given == nil, let key = proofKey ?? keyOfCalls { return key }
    let key = try await client.proofKey(given, policy: policy)
    // Another call may have made one meanwhile.
    keyOfCalls = keyOfCalls ?? key
    return given == nil ? keyOfCalls ?? key : key
  }

  /// Asks the token endpoint.
  package func token(_ request: TokenRequest) async throws(OAuthError) -> TokenSet {
    var request = request
    request.policy = request.policy ?? policy
    request.grantScopes = grantScopes
    let response = try await client.token(request)
    responses.append(response)
    return response
  }

  /// The response of the token endpoint that brought these tokens; nil when none did.
  package func response(with tokens: TokenSet) -> TokenSet? {
    responses.last {
      $0.accessToken != nil && $0.accessToken == tokens.accessToken
        || $0.refreshToken != nil && $0.refreshToken == tokens.refreshToken
        || $0.idToken != nil && $0.idToken == tokens.idToken
    }
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
  /// A sign-in by a flow: runs it in its own context, and validates its tokens. `flowName` is nil without a name.
  package func signInRequest(
    _ settings: Settings, policy: String?, accountType: String, scopes: [String], agent: AgentChoice, flowName: String?,
    flow: @escaping @HostActor @Sendable (FlowContext) async throws -> TokenSet
  ) -> SignInRequest {
    SignInRequest(
      policy: policy, accountType: accountType, scopes: scopes, provider: settings.provider,
      clientSecret: settings.clientSecret, agent: agent.kind.rawValue, session: agent.session, flowName: flowName
    ) { [weak self] _ in
      guard let self else { throw CancellationError() }
      let client = clients.client(for: settings)
      let context = FlowContext(settings: settings, client: client, policy: policy, agent: agent)
      let manager = try await accounts.manager()
      defer { manager.compareClocks(client.clockDifference) }
      let tokens = try await context.run(flow)
      let request = context.authorization
      let claims = try await client.claims(
        of: tokens, policy: policy, nonce: request?.nonce, maxAge: context.demand?.maxAge ?? request?.maxAge,
        acrValues: context.demand?.acrValues)
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
