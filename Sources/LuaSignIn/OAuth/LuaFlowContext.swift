import Automation
import HostLoop
package import Lua
import LuaKit

/// `ctx`: the argument of a flow.
package final class LuaFlowContext: LuaObject {
  private let context: FlowContext
  private let settings: LuaSettings
  private let agent: LuaAgent
  /// One table, so that what a flow changes in it stays.
  private let options: LuaValue

  init(_ context: FlowContext, _ options: LuaValue, _ json: JSONMarshal) {
    self.context = context
    settings = LuaSettings(json) { context.settings }
    agent = LuaAgent(context.agent)
    self.options = options
  }

  /// The same context with other values of some options.
  @HostActor func changed(by changes: [(name: String, value: LuaValue)], _ json: JSONMarshal) -> LuaFlowContext {
    let names = Set(changes.map(\.name))
    let rest = options.fields.filter { !names.contains($0.name) }
    return LuaFlowContext(context, .record(rest + changes), json)
  }

  package static let luaType = HostType(
    "flow context", "The argument of a flow.",
    properties: [
      property("settings", .object("settings"), "The settings of the sign-in.") { .object($0.settings) },
      property("policy", .string, optional: true, "The name of the policy; nil if the provider has no policies.") {
        .string($0.context.policy)
      },
      property(
        "options", .record(.flowOptions),
        "The options of accounts.sign_in that concern the flow: scopes, prompt, login_hint, username and so on."
      ) { $0.options },
      property("agent", .object("agent"), "The agent of the sign-in, for browser.open.") { .object($0.agent) },
      property(
        "redirect_uri", .string,
        "The redirect URI: from the settings, or for the system's browser, a port of this machine."
      ) { .string(try $0.context.redirectURI()) },
    ], describe: { _ in "flow context" })
}
