package import Accounts
package import Automation
package import Core
import Files
package import HostLoop
import Lua
package import LuaKit
package import OAuth

/// The sign-in flows of a run by name, and refreshes by the function `refresh` of a flow.
@HostActor
package final class Flows {
  /// A flow by its name.
  package enum Flow: Sendable {
    /// A Lua file that returns the function.
    case file(String)
    case function(LuaFlow)
  }

  /// The flows that ship with the program, each a file of that name.
  nonisolated package static let stock = [
    "authorization_code", "backchannel", "client_credentials", "device_code", "native", "password", "refresh", "silent",
  ]

  /// Returns true for the name of a flow that ships with the program.
  nonisolated package static func isStock(_ name: String) -> Bool { stock.contains(name) }

  /// The flows by name.
  package lazy var catalog = Catalog<Flow>(
    "flow", stock: Self.stock.map { ($0, .file("\(scriptsFolder)/flows/\($0).lua")) })
  /// The functions that renew the tokens of accounts that signed in in this run, by the IDs of the accounts.
  var refreshes: [String: LuaFunction] = [:]
  private let context: ScriptContext

  init(_ context: ScriptContext) { self.context = context }

  private var scriptsFolder: String { context.run.configuration.session.scriptsFolder }

  /// Makes a flow of the script known for this run.
  /// - Throws: `invalid_argument` for the name of a stock flow or of a plugin's flow, which keeps its refresh tokens.
  func add(_ flow: LuaFlow, named name: String) throws(LuaError) {
    let owner = catalog.plugin(of: name)
    guard !Self.isStock(name), owner == nil else {
      throw LuaError(
        code: "invalid_argument",
        message:
          "accounts.add_flow: there is a flow named '\(name)' \(owner.map { "of \($0.label)" } ?? "of the program")",
        hint: "take another name")
    }
    catalog.define(name, .function(flow))
  }

  /// The flow of that name, and whether it is a stock one. Throws `unknown_flow` with the known names.
  func flow(named name: String) async throws -> (flow: LuaFlow, isStock: Bool) {
    switch catalog[name] {
    case .function(let flow)?: return (flow, false)
    case .file(let path)?:
      let name = "flows/\(name).lua"
      let source: [UInt8]
      do { source = try FileSystem.contents(of: path) } catch {
        throw LuaError(
          code: "missing_program_file", message: "cannot read the stock flow \(path): \(error.reason)",
          hint: "install b2c-run with its folder scripts, or run it where it was built")
      }
      let chunk = try context.state.load(source, name: name)
      guard let flow = LuaFlow(try await chunk.call().first) else {
        throw LuaError(code: "invalid_flow", message: "\(name) returned no function")
      }
      return (flow, true)
    case nil:
      throw LuaError(
        code: "unknown_flow", message: "there is no flow named '\(name)'",
        hint: catalog.hint(for: name, advice: "give a function, or one of"))
    }
  }

  /// Gets new tokens for an account from the flow that it remembers.
  /// - Throws: `unknown_flow` if this run does not have the flow.
  package func renew(_ account: Account, _ attempt: SignInAttempt, _ refreshToken: Secret?) async throws -> TokenSet {
    let function = try await refresh(of: account)
    // A script that names the flow of another script's account may have the account's tokens renewed, and no more.
    let isKnown = refreshes[account.id] != nil || catalog.plugin(of: account.refreshFlow ?? "") != nil
    let token = isKnown ? .secret(refreshToken) : refreshToken.map { LuaValue.object(SealedSecret($0)) } ?? .nil
    let options: [(name: String, value: LuaValue)] = [
      ("scopes", .list(account.requestedScopes.map { .string($0) })), ("refresh_token", token),
      ("subject", .string(account.subject)),
    ]
    let result = try await LuaFlowContext(attempt, .record(options), context.json).run(function)
    return try TokenSet(result, of: "the function refresh of the flow of \(account.name)", "function", in: attempt)
  }

  private func refresh(of account: Account) async throws -> LuaFunction {
    if let function = refreshes[account.id] { return function }
    let name = account.refreshFlow ?? ""
    guard !name.hasPrefix("@") else {
      throw LuaError(
        code: "unknown_flow",
        message: "the tokens of the account \(account.name) are renewed by the function at \(name.dropFirst()), which "
          + "only the run of its sign-in has",
        hint:
          "name the flow in each run, accounts.add_flow(NAME, { sign_in = …, refresh = … }), or put it into a plugin; "
          + "then sign in with flow = NAME")
    }
    let flow = catalog[name] == nil ? nil : try await flow(named: name).flow
    guard let function = flow?.refresh else {
      throw LuaError(
        code: "unknown_flow",
        message: "the tokens of the account \(account.name) are renewed by the flow '\(name)', "
          + (flow == nil ? "which this run does not have" : "which has no function refresh in this run"),
        hint:
          "add the plugin with this flow, or call accounts.add_flow(\"\(name)\", { sign_in = …, refresh = … }) first")
    }
    return function
  }
}
