import Automation
import HostLoop
import Lua

/// `ctx`: what a flow gets.
final class LuaFlowContext: LuaObject {
  fileprivate let attempt: SignInAttempt
  private let settings: LuaSettings
  private let agent: LuaAgent
  /// One table, so that what a flow changes in it stays.
  private let options: LuaValue
  /// The hooks of the call of a flow that made this context; nil for the context of the sign-in itself.
  let changes: FlowChanges?

  /// The context of the flow that runs; nil outside of a flow.
  @TaskLocal static var current: LuaFlowContext?

  init(_ attempt: SignInAttempt, _ options: LuaValue, _ json: JSONMarshal) {
    self.attempt = attempt
    settings = LuaSettings(json) { attempt.settings }
    agent = LuaAgent(attempt.agent)
    self.options = options
    changes = nil
  }

  private init(_ other: LuaFlowContext, _ options: LuaValue, _ changes: FlowChanges?) {
    (attempt, settings, agent) = (other.attempt, other.settings, other.agent)
    self.options = options
    self.changes = changes
  }

  /// The same context with other values of some options, and hooks.
  @HostActor func changed(by values: [(name: String, value: LuaValue)], _ changes: FlowChanges) -> LuaFlowContext {
    let names = Set(values.map(\.name))
    return LuaFlowContext(self, .record(options.fields.filter { !names.contains($0.name) } + values), changes)
  }

  /// The same context without hooks, for the hooks themselves.
  var withoutChanges: LuaFlowContext { LuaFlowContext(self, options, nil) }

  /// Calls the function of a flow. The calls that it makes, also in other coroutines, work with this context.
  @HostActor func run(_ function: LuaFunction) async throws -> LuaValue {
    try await Self.$current.withValue(self) { try await function.call([.object(self)]).first ?? .nil }
  }

  static let luaType = HostType(
    "flow context", "The argument of a flow.",
    properties: [
      property("settings", .object("settings"), "The settings of the sign-in.") { .object($0.settings) },
      property("policy", .string, optional: true, "The name of the policy; nil if the provider has no policies.") {
        .string($0.attempt.policy)
      },
      property(
        "options", .record(.flowOptions),
        "The options of accounts.sign_in that concern the flow: scopes, prompt, login_hint, username and so on."
      ) { $0.options },
      property("agent", .object("agent"), "The agent of the sign-in, for browser.open.") { .object($0.agent) },
      property(
        "redirect_uri", .string,
        "The redirect URI: from the settings, or for the system's browser, a port of this machine."
      ) { .string(try $0.attempt.redirectURI()) },
    ], describe: { _ in "flow context" })
}

extension ScriptHost {
  /// The attempt of the flow that runs; outside of a flow, one of this run's settings.
  func attempt() throws -> SignInAttempt { try LuaFlowContext.current?.attempt ?? session.attempt() }
}
