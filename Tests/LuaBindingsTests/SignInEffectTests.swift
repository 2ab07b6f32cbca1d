import Foundation
import HostLoop
import LocalTenant
import Lua
import LuaKit
import Testing

@testable import LuaSignIn

/// Each option of accounts.sign_in works with a flow, or is refused.
@HostActor @Suite("Options of accounts.sign_in")
struct SignInEffectTests {
  /// The options that the host handles for each flow.
  nonisolated private static let ofHost: Set<String> = [
    "flow", "policy", "account", "settings", "account_type", "profile", "subject", "dpop", "agent", "session",
    "access_token", "for_challenge", "otp", "on_page", "on_navigate", "timeout", "mcp", "private_network",
  ]

  /// Lua values of the options.
  nonisolated private static let values: [String: String] = [
    "parameters": "{ a = 'b' }", "par": "true", "request_object": "true", "max_age": "1", "timeout": "1",
    "resource": "'https://api.example'", "authorization_details": "{ { type = 'x' } }", "on_page": "print",
    "on_navigate": "print", "sign_up": "true", "reset": "true", "attributes": "{ a = 1 }", "access_token": "true",
    "for_challenge": "{ code = 'insufficient_user_authentication' }", "response_mode": "'query'",
    "private_network": "true",
  ]

  @Test("the table has each option and each flow")
  func isWhole() {
    #expect(Set(SignInEffect.table.keys) == Set(SignInOptions.keys.map(\.name)))
    let flows = SignInEffect.table.values.reduce(into: Set<String>()) { $0.formUnion($1.flows) }
    #expect(flows == Set(Flows.stock))
  }

  @Test("a flow reads the options that work with it, and no others", arguments: Flows.stock)
  func isTrue(flow: String) throws {
    let source = try String(
      contentsOf: TestHost.project.appending(path: "scripts/flows/\(flow).lua"), encoding: .utf8)
    for (option, effect) in SignInEffect.table where !Self.ofHost.contains(option) {
      // The agent fills them in.
      if ["username", "password"].contains(option), ["authorization_code", "device_code"].contains(flow) { continue }
      let isRead = source.contains(try Regex("options\\.\(option)\\b")) || source.contains("\"\(option)\" }")
      #expect(isRead == effect.flows.contains(flow), "\(option)")
    }
  }

  @Test("an option without an effect is refused", arguments: Flows.stock)
  func refusals(flow: String) async throws {
    let host = try TestHost()
    for (option, effect) in SignInEffect.table where !effect.flows.contains(flow) {
      let value = Self.values[option] ?? "'x'"
      let error = await host.error(
        "b2c.accounts.sign_in { flow = '\(flow)', agent = 'headless', \(option) = \(value) }")
      #expect(
        error.message == "accounts.sign_in: option '\(option)': has no effect with flow = \"\(flow)\"", "\(error)")
      // So is a change of a stock flow within another one.
      guard SignInOptions.keysOfFlows.contains(where: { $0.name == option }) else { continue }
      let changed = await host.error(
        "b2c.accounts.sign_in { flow = function(ctx) return b2c.oauth.flow('\(flow)')(ctx, { \(option) = \(value) }) end }"
      )
      #expect(changed.message.hasSuffix("option '\(option)': has no effect with flow = \"\(flow)\""), "\(changed)")
    }
  }

  @Test("an option of other agents is refused", arguments: ["system", "terminal", "webview"])
  func agents(agent: String) async throws {
    let host = try TestHost()
    for option in ["username", "password", "otp", "on_page", "session"] where agent != "webview" || option != "session"
    {
      let value = Self.values[option] ?? "'x'"
      let error = await host.error("b2c.accounts.sign_in { agent = '\(agent)', \(option) = \(value) }")
      #expect(
        error.message == "accounts.sign_in: option '\(option)': has no effect with agent = \"\(agent)\"", "\(error)")
    }
  }
}
