import HostLoop
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
  /// The grant of the last token response, by which the account's tokens are renewed.
  var grantType: String?
  private var openListener: LoopbackListener?

  @TaskLocal static var current: FlowContext?

  init(settings: Settings, client: OAuthClient, policy: String? = nil, agent: AgentChoice = AgentChoice()) {
    self.settings = settings
    self.client = client
    self.policy = policy
    self.agent = agent
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
    let registered = try settings.redirectURL
    let listener =
      try LoopbackListener.canListen(on: registered) ? LoopbackListener(redirectURI: registered) : LoopbackListener()
    openListener = listener
    return listener
  }

  func close() {
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
