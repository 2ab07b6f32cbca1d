import Core
import HostLoop
import Lua
import OAuth
import Settings
import UserAgents

/// What the building blocks of `b2c.oauth` and `b2c.browser` work with. Inside a sign-in's flow these are the settings and
/// the agent of that sign-in, in whatever coroutine of the flow the block is called.
@HostActor
final class FlowContext: Sendable {
  let settings: Settings
  let client: OAuthClient
  let agent: AgentChoice
  /// The sign-in's policy, which the building blocks take where they are given none; nil for the default one.
  let policy: String?
  /// What the flow's last authorization URL had, which the ID token it returns must answer.
  var nonce: String?
  var maxAge: Int?
  /// The grants of the token responses, by their tokens: that of the one which the flow returns is how the account's
  /// tokens are renewed.
  private var grantTypes: [Secret: String] = [:]
  private var openListener: LoopbackListener?
  private var isOver = false

  @TaskLocal static var current: FlowContext?

  init(settings: Settings, client: OAuthClient, policy: String? = nil, agent: AgentChoice = AgentChoice()) {
    self.settings = settings
    self.client = client
    self.policy = policy
    self.agent = agent
  }

  func note(_ response: TokenResponse, of grantType: String) {
    for token in [response.accessToken, response.refreshToken, response.idToken.map({ Secret($0) })] {
      if let token { grantTypes[token] = grantType }
    }
  }

  /// How these tokens were asked for; nil when that was not done by `oauth.token`.
  func grantType(of tokens: Secret?...) -> String? {
    tokens.lazy.compactMap { $0.flatMap { self.grantTypes[$0] } }.first
  }

  /// Where the authorization response is to go. With the system's browser that is this machine, at a port which is taken
  /// when this is first read; else that of the settings.
  func redirectURI() throws -> String {
    guard agent.kind == .system else { return try settings.redirectURL }
    return try listener().redirectURI
  }

  /// Waits for the response of the system's browser.
  func listener() throws -> LoopbackListener {
    if let openListener { return openListener }
    guard !isOver else {
      throw LuaError(
        code: "flow_over", message: "the flow is over, and nothing comes back to it",
        hint: "use the context while the flow runs")
    }
    let registered = try settings.redirectURL
    let listener =
      try LoopbackListener.canListen(on: registered) ? LoopbackListener(redirectURI: registered) : LoopbackListener()
    openListener = listener
    return listener
  }

  /// Gives the port back, for good: what is left of the flow's context must not take it again.
  func close() {
    isOver = true
    openListener?.close()
    openListener = nil
  }
}

extension ScriptHost {
  /// The flow's context, or, outside a flow, that of this run's settings.
  func flowContext() throws -> FlowContext {
    try FlowContext.current ?? runContext()
  }

  /// That of this run's settings, also inside a flow with others.
  func runContext() throws -> FlowContext {
    if let mainContext { return mainContext }
    let settings = try settings()
    let context = FlowContext(settings: settings, client: clients.client(for: settings))
    mainContext = context
    return context
  }
}
