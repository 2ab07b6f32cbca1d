import Automation
import HostLoop
import Lua
import LuaKit
import OAuth

extension OAuthModule {
  static let flow = suspending(
    "oauth.flow", "A flow by its name, for a flow of your own that adds to it: options, checks, changed requests.",
    Parameter("name", .openChoice(Flows.stock), "The name of a stock flow or of a plugin's flow."),
    returns: .init(
      .callback(
        [
          Parameter("ctx", .object("flow context"), "The context of your flow."),
          .optional("changes", .record(.flowChanges), "Options and hooks that replace those of the flow."),
        ], returns: [.init(.record(.tokenResponse), "The result of the flow.")]), "The flow, to call in your flow."),
    example: """
      local b2c = require "b2c"

      local function checked(ctx)
        return b2c.oauth.flow("authorization_code")(ctx, {
          prompt = "login",
          after_token = function(response) assert(response.refresh_token, "no refresh token") end,
        })
      end
      b2c.accounts.sign_in { flow = checked, agent = "headless", username = "alice", password = "Wonderland-1" }
      """
  ) { module, arguments in
    let name = arguments.string(0)
    let flow = try await module.signIns.flows.flow(named: name).flow.signIn
    let wrapped = HostFunction.suspending(
      "the flow \(name)", "Runs the flow with changes.",
      [Parameter("ctx", .object("flow context")), .options(FlowChanges.keys)],
      returns: [.init(.any, optional: true, "The result of the flow.")]
    ) { arguments in
      if Flows.isStock(name) {
        try SignInEffect.check(arguments.options, flow: name, agent: nil, arguments)
      }
      let changes = FlowChanges(arguments, within: FlowChanges.current)
      let ctx = try arguments.object(0, as: LuaFlowContext.self).changed(
        by: SignInOptions.shown(arguments.options.filter { !FlowChanges.hooks.contains($0.key) }),
        module.signIns.context.json)
      return [try await FlowChanges.$current.withValue(changes) { try await flow.call([.object(ctx)]).first ?? .nil }]
    }
    return [.function(module.signIns.context.state.closure(wrapped))]
  }
}

/// The hooks of the call of a flow that runs: `oauth.flow(NAME)(ctx, { before_token = … })`.
@HostActor
final class FlowChanges: Sendable {
  enum Hook: String, CaseIterable {
    case beforeAuthorize = "before_authorize"
    case beforeToken = "before_token"
    case afterToken = "after_token"
  }

  /// The changes of the innermost call; nil outside of such a call, and in the hooks themselves.
  @TaskLocal static var current: FlowChanges?

  private let functions: [Hook: LuaFunction]
  /// The changes of the call around this one.
  private let outer: FlowChanges?

  init(_ arguments: Arguments, within outer: FlowChanges?) {
    functions = Dictionary(
      uniqueKeysWithValues: Hook.allCases.compactMap { hook in
        arguments[hook.rawValue].function.map { (hook, $0) }
      })
    self.outer = outer
  }

  /// Calls the hooks of that name, the innermost first. Each may change the table, or return another one.
  static func apply(_ hook: Hook, to table: LuaTable, _ signIns: ScriptSignIns) async throws -> LuaTable {
    var table = table
    var next = current
    while let changes = next {
      next = changes.outer
      guard let function = changes.functions[hook] else { continue }
      let answer = try await $current.withValue(nil) {
        try await signIns.session.events.call(function, [.table(table)], as: hook.rawValue, nil)
      }
      guard !answer.isNil else { continue }
      guard let other = answer.table else {
        throw LuaError(
          code: "invalid_argument",
          message: "\(hook.rawValue) returned a \(answer.typeName), expected a table or nothing",
          hint: "change the table that the function receives, or return another one")
      }
      table = other
    }
    return table
  }

  nonisolated static let hooks = Set(Hook.allCases.map(\.rawValue))

  nonisolated static let keys: [Parameter] =
    [
      .optional(
        Hook.beforeAuthorize.rawValue,
        .callback([Parameter("request", .record(.authorizationRequest), "The options of oauth.authorize_url.")]),
        "Called before the authorization URL is made. It changes the request, or returns another one."),
      .optional(
        Hook.beforeToken.rawValue, .callback([Parameter("request", .record(.tokenRequest), "The token request.")]),
        "Called before a token request. It changes the request, or returns another one."),
      .optional(
        Hook.afterToken.rawValue, .callback([Parameter("response", .record(.tokenResponse), "The token response.")]),
        "Called with the token response. It changes the response, returns another one, or raises an error."),
      .optional("scopes", .words, "The requested scopes."),
    ] + SignInOptions.keysOfFlows
}

extension LuaRecord {
  /// The argument of the hook `before_authorize`.
  static let authorizationRequest = LuaRecord(
    "authorization request", "The options of oauth.authorize_url.", AuthorizeOptions.keys)

  /// The second argument of a flow that `oauth.flow` returns.
  static let flowChanges = LuaRecord(
    "flow changes", "The hooks for a flow, and options of accounts.sign_in in place of those of the sign-in.",
    FlowChanges.keys)
}

extension OAuthModule {
  /// The options of `oauth.authorize_url` after the variation of the run and the hooks of the flow that runs.
  func changed(_ arguments: Arguments) async throws -> Arguments {
    guard FlowChanges.current != nil || !signIns.variation.isEmpty else { return arguments }
    // oauth.par and oauth.request_object have fewer options than oauth.authorize_url.
    let known = Set(arguments.function.parameters.compactMap(\.type.optionKeys).joined().map(\.name))
    let options = signIns.variation.applied(toAuthorization: arguments.options, signIns.context.state).filter {
      known.contains($0.key)
    }
    let given = signIns.context.state.makeTable(options.map { ($0.key, $0.value) })
    let request = try await FlowChanges.apply(.beforeAuthorize, to: given, signIns)
    return try Arguments(options: request, of: arguments.function, signIns.context.state)
  }
}
