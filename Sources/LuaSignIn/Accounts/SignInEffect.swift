import Automation
import HostLoop
import Lua
import LuaKit

/// The flows and agents with which an option of `accounts.sign_in` has an effect. A flow of a script or of a plugin gets all
/// options, and decides itself.
struct SignInEffect: Sendable {
  /// The names of stock flows.
  let flows: Set<String>
  /// The agents of the program; nil for all, and for agents of plugins.
  var agents: Set<AgentChoice.Kind>?

  private static let all = Set(Flows.stock)
  /// The flows that send the browser to the authorization endpoint.
  private static let browser: Set = ["authorization_code", "silent"]
  /// The flows with pages that a user fills in.
  private static let pages: Set = ["authorization_code", "device_code"]

  static let table: [String: SignInEffect] = {
    var table: [String: SignInEffect] = [:]
    func add(_ options: [String], _ flows: Set<String>, agents: Set<AgentChoice.Kind>? = nil) {
      for option in options { table[option] = SignInEffect(flows: flows, agents: agents) }
    }
    // The account remembers the agent and its session for the sign-out, whatever the flow.
    add(
      ["flow", "policy", "scopes", "account", "settings", "account_type", "profile", "subject", "dpop", "agent"], all)
    add(["session"], all, agents: [.headless, .webview])
    add(["access_token", "for_challenge"], all.subtracting(["client_credentials"]))
    add(["prompt"], ["authorization_code"])
    add(["domain_hint", "ui_locales", "max_age", "response_mode", "parameters", "par", "request_object"], browser)
    add(["id_token_hint", "acr_values"], browser.union(["backchannel"]))
    add(["login_hint"], browser.union(["backchannel", "native", "password"]))
    add(["resource", "authorization_details"], all.subtracting(["backchannel", "native"]))
    add(["username", "password"], pages.union(["native", "password"]), agents: [.headless])
    add(["otp", "on_page"], pages, agents: [.headless])
    add(["on_navigate", "timeout"], browser.union(pages))
    add(["binding_message"], ["backchannel"])
    add(["refresh_token"], ["refresh"])
    add(["mcp", "private_network"], all.subtracting(["backchannel", "native"]))
    add(["sign_up", "reset", "code", "attributes"], ["native"])
    return table
  }()

  /// Refuses the options that have no effect with a stock flow and its agent. `false` asks for nothing.
  /// - Parameters:
  ///   - given: the options that the call names.
  ///   - agent: nil to check the flow alone.
  @HostActor static func check(
    _ given: [String: LuaValue], flow: String, agent: AgentChoice.Kind?, _ arguments: Arguments
  ) throws(LuaError) {
    for (name, value) in given.sorted(by: { $0.key < $1.key }) where !value.isNil && value.boolean != false {
      guard let effect = table[name] else { continue }
      guard effect.flows.contains(flow) else {
        let others = effect.flows.sorted().joined(separator: ", ")
        throw refusal(name, "flow", flow, hint: "leave it out; the flows that use it are \(others)", arguments)
      }
      // Flows without pages use no agent.
      guard let agent, pages.union(browser).contains(flow), let agents = effect.agents,
        AgentChoice.Kind.native.contains(agent), !agents.contains(agent)
      else { continue }
      let others = agents.map(\.rawValue).sorted().joined(separator: ", ")
      throw refusal(
        name, "agent", agent.rawValue, hint: "leave it out, or use an agent that takes it: \(others)", arguments)
    }
  }

  @HostActor private static func refusal(
    _ option: String, _ name: String, _ value: String, hint: String, _ arguments: Arguments
  ) -> LuaError {
    var error = arguments.failure(option: option, "has no effect with \(name) = \"\(value)\"", hint: hint)
    error.details = [name: value]
    return error
  }
}
