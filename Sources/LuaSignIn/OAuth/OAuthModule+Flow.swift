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
      let ctx = try arguments.object(0, as: LuaFlowContext.self).changed(
        by: SignInOptions.shown(arguments.options.filter { FlowChanges.Hook(rawValue: $0.key) == nil }),
        FlowChanges.hooks(arguments) + FlowChanges.current)
      return [try await ctx.run(flow)]
    }
    return [.function(module.signIns.context.state.closure(wrapped))]
  }
}

/// The hooks of the call of a flow that runs: `oauth.flow(NAME)(ctx, { before_token = … })`.
@HostActor
enum FlowChanges {
  enum Hook: String, CaseIterable {
    case beforeAuthorize = "before_authorize"
    case beforeToken = "before_token"
    case afterToken = "after_token"
  }

  typealias Hooks = [(hook: Hook, function: LuaFunction)]

  /// The hooks of the flow that runs, those of the innermost call first; none in the hooks themselves.
  static var current: Hooks { LuaFlowContext.current?.hooks ?? [] }

  static func hooks(_ arguments: Arguments) -> Hooks {
    Hook.allCases.compactMap { hook in arguments[hook.rawValue].function.map { (hook, $0) } }
  }

  /// Calls the hooks of that name, the innermost first. Each may change the table, or return another one.
  static func apply(_ hook: Hook, to table: LuaTable, _ signIns: ScriptSignIns) async throws -> LuaTable {
    var table = table
    for (_, function) in current.filter({ $0.hook == hook }) {
      let answer = try await LuaFlowContext.$current.withValue(LuaFlowContext.current?.changed(by: [], [])) {
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
    guard !FlowChanges.current.isEmpty || !signIns.variation.isEmpty else { return arguments }
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
