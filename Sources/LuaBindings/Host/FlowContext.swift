import HostLoop
import OAuth
import Settings

/// What the building blocks of `b2c.oauth` work with. Inside a sign-in's flow these are the settings of that sign-in,
/// in whatever coroutine of the flow the block is called.
@HostActor
final class FlowContext: Sendable {
  let settings: Settings
  let client: OAuthClient
  /// Those the flow has sent in authorization URLs. The ID token it returns must have the last one.
  var nonces: [String] = []

  @TaskLocal static var current: FlowContext?

  init(settings: Settings, client: OAuthClient) {
    self.settings = settings
    self.client = client
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
    let context = FlowContext(settings: settings, client: OAuthClient(settings: settings, http: http))
    mainContext = context
    return context
  }
}
