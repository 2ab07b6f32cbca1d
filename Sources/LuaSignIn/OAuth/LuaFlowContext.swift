import Automation
import HostLoop
package import Lua
import LuaKit

/// `ctx`: the argument of a flow.
package final class LuaFlowContext: LuaObject {
  fileprivate let attempt: SignInAttempt
  private let settings: LuaSettings
  private let agent: LuaAgent
  /// One table, so that what a flow changes in it stays.
  private let options: LuaValue
  /// The hooks of the calls of flows that led to this context, the innermost first.
  let hooks: FlowChanges.Hooks
  private let json: JSONMarshal

  /// The context of the flow that runs; nil outside of a flow.
  @TaskLocal static var current: LuaFlowContext?

  init(_ attempt: SignInAttempt, _ options: LuaValue, _ json: JSONMarshal, hooks: FlowChanges.Hooks = []) {
    self.attempt = attempt
    self.json = json
    settings = LuaSettings(json) { attempt.settings }
    agent = LuaAgent(attempt.agent)
    self.options = options
    self.hooks = hooks
  }

  /// The same context with other values of some options, and other hooks.
  func changed(by values: [(name: String, value: LuaValue)], _ hooks: FlowChanges.Hooks) -> LuaFlowContext {
    let rest = options.fields.filter { field in !values.contains { $0.name == field.name } }
    return LuaFlowContext(attempt, .record(rest + values), json, hooks: hooks)
  }

  /// Calls the function of a flow. The calls that it makes, also in other coroutines, work with this context.
  func run(_ function: LuaFunction) async throws -> LuaValue {
    try await Self.$current.withValue(self) { try await function.call([.object(self)]).first ?? .nil }
  }

  package static let luaType = HostType(
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

extension ScriptSignIns {
  /// The attempt of the flow that runs; outside of a flow, one of this run's settings.
  func attempt() throws -> SignInAttempt { try LuaFlowContext.current?.attempt ?? session.attempt() }
}
