package import Accounts
import Automation
import Core
import Glibc
import HTTPClient
import HostLoop
import JSON
package import Lua
package import LuaKit
import OAuth
import Permissions
import Settings

extension AccountsModule {
  /// `accounts.sign_in`
  package static let signInFunction = suspending(
    "accounts.sign_in", "Signs a user in with a flow and an agent.", options: SignInOptions.keys,
    returns: .init(.object("account"), "The account."),
    example: """
      local alice = b2c.accounts.sign_in { agent = "headless", username = "alice", password = "Wonderland-1" }
      print(alice.name, alice.policy, alice:token())
      """
  ) { module, arguments in [.object(try await module.signIn(arguments))] }

  /// Signs a user in by these options of `accounts.sign_in`.
  package func signIn(_ arguments: Arguments) async throws -> LuaAccount {
    let request = try await request(arguments)
    let call = SignInCall()
    let account = try await SignInCall.$current.withValue(call) { try await signIns.session.signIn(request) }
    signIns.flows.refreshes[account.id] = call.refresh
    return try signIns.accounts.value(of: account)
  }

  /// The request of the next attempt: the options that a handler of `on_failed` returned, over those of the failed one.
  /// - Returns: nil when the handler returned nothing, or a refresh failed.
  package func request(_ answer: LuaValue, after failure: SignInFailure) async throws -> SignInRequest? {
    switch answer {
    case .nil: return nil
    case .table(let table):
      let given = try Arguments(options: table, of: Self.signInFunction.of(self), signIns.context.state)
      guard failure.account == nil, let call = SignInCall.current else { return nil }
      return try await request(given, over: call.options)
    case let other:
      throw LuaError(
        code: "invalid_argument",
        message: "accounts.on_failed: the handler returned a \(other.typeName), expected sign-in options or nothing",
        hint: "for example return { policy = \"reset\" }")
    }
  }

  private func request(_ arguments: Arguments, over before: [String: LuaValue] = [:]) async throws -> SignInRequest {
    let session = signIns.session
    var options = before.merging(arguments.options) { _, new in new }
    options = signIns.variation.applied(to: options, SignInOptions.keys)
    var given = try SignInOptions(options, of: arguments)
    let demand = try Self.demand(given.challenge, &options, arguments)
    var settings = try session.settings()
    var scopes = given.basic.request.scopes
    if let again = given.account?.account {
      // The sign-in gets what the client secret of the account is good for.
      try session.accounts.demandTokens(of: again)
      settings = try await session.accounts.settings(of: again)
      let known: [String: LuaValue] = [
        "policy": .string(again.policy), "account_type": .string(again.accountType),
        "login_hint": .string(again.loginHint),
      ]
      scopes = scopes ?? again.requestedScopes
      options.merge(known.filter { !$0.value.isNil }) { given, _ in given }
      given.basic.request.policy = given.basic.request.policy ?? again.policy
      given.accountType = given.accountType ?? again.accountType
    }
    if let other = given.settings {
      settings = try other.settings()
      // The user's password goes to these origins now, and the tokens in runs to come.
      for origin in settings.origins { try signIns.session.permissions.check(origin, by: arguments.function.name) }
    }
    if let profile = given.profile {
      settings = try settings.with([SettingsKey.profile.rawValue: .string(profile)])
    }
    // B2C has a separate policy for passwords that do not go through a page. It is not among the options, because a handler
    // of failures may continue with another flow.
    let isForPasswords = given.flow.string == "password" && settings.policies["ropc"] != nil
    _ = try arguments.details(given.basic.details, signIns.context.json)
    var agent = AgentChoice()
    agent.kind = signIns.context.run.agents.standard(settings)
    agent = try given.agent.merged(into: agent, arguments, signIns)
    if let flow = given.flowName, Flows.isStock(flow) {
      // A variation of the run, or an earlier attempt, may have named the other options.
      try SignInEffect.check(arguments.options, flow: flow, agent: agent.kind, arguments)
    }
    let asked = scopes ?? settings.scopes
    return session.signInRequest(
      settings, policy: try settings.policy(given.basic.request.policy ?? (isForPasswords ? "ropc" : nil)),
      accountType: given.accountType ?? settings.accountIdentifier ?? "default", scopes: asked,
      agent: agent, flowName: given.flowName
    ) { [self, options, given] context in
      SignInCall.current?.options = options
      SignInCall.current?.refresh = nil
      context.demand = demand
      return try await run(given, options, asked, context)
    }
  }

  /// The demand of the option `for_challenge`, whose parameters become options of the sign-in unless they are given.
  private static func demand(
    _ error: LuaTable?, _ options: inout [String: LuaValue], _ arguments: Arguments
  ) throws -> (acrValues: [String]?, maxAge: Int?)? {
    guard let error else { return nil }
    // The error of an import names the cause.
    guard [error["code"].string, error["details"].table?["cause"].string].contains(StepUpDemand.code) else {
      throw arguments.failure(
        option: "for_challenge",
        "expected an error with the code \(StepUpDemand.code), got one with the code "
          + (error["code"].string ?? "nil"), hint: "give the error that the request raised")
    }
    let details = error["details"].table
    let acrValues = details?["acr_values"].string
    let maxAge = details?["max_age"].string.flatMap { Int($0) } ?? details?["max_age"].integer.map { Int($0) }
    if let acrValues, options["acr_values"] == nil { options["acr_values"] = .string(acrValues) }
    if let maxAge, options["max_age"] == nil { options["max_age"] = .integer(maxAge) }
    return (acrValues.map { $0.split(separator: " ").map(String.init) }, maxAge)
  }

  private func run(
    _ given: SignInOptions, _ options: [String: LuaValue], _ scopes: [String], _ context: FlowContext
  ) async throws -> TokenSet {
    let (flow, isStock) = try await flow(given)
    let bindsByProfile = context.client.needsProofKey && given.dpop.isNil
    try context.client.checkProfile(isBound: given.dpop.boolean != false)
    // An API may also be named by a resource, or by the details.
    if isStock, given.flowName != "client_credentials", given.needsAccessToken != false,
      options["resource"] == nil, given.basic.details.isNil
    {
      try context.client.checkScopes(scopes)
    }
    context.proofKey = try await (bindsByProfile ? .boolean(true) : given.dpop).proofKey(
      context, "accounts.sign_in")
    let shown = SignInOptions.shown(options.merging(["scopes": .list(scopes.map { .string($0) })]) { $1 })
    let ctx = LuaFlowContext(context, .record(shown), signIns.context.json)
    let result: LuaValue
    do { result = try await flow.signIn.call([.object(ctx)]).first ?? .nil } catch var error as LuaError {
      guard error.code != "script_error" else { throw error }
      if given.basic.request.scopes != nil {
        error.hint = error.hint?.replacing("scopes in the settings", with: "the option scopes (--scopes)")
      }
      guard isStock else { throw error }
      // The reader can change the call of sign_in, and not a line of a stock flow.
      error.location = nil
      error.value = nil
      throw error
    }
    guard let table = result.table else {
      throw LuaError(
        code: "invalid_flow",
        message:
          "the flow returned \(result.isNil ? "nothing" : "a \(result.typeName)"), expected the token response of oauth.token",
        hint: "end the flow with: return oauth.token { … }")
    }
    var tokens = try TokenSet(table, in: context)
    try TokenSet.checkUse(ofType: tokens.tokenType)
    tokens.givenSubject = given.subject ?? table["subject"].string
    if let refresh = table["refresh"].function ?? flow.refresh {
      tokens.refreshFlow = given.flowName ?? "@\(flow.signIn.place ?? "an unknown place")"
      // A named flow is found by its name, also in other runs.
      if given.flowName == nil || flow.refresh == nil { SignInCall.current?.refresh = refresh }
    }
    return tokens
  }

  private func flow(_ given: SignInOptions) async throws -> (flow: LuaFlow, isStock: Bool) {
    try LuaFlow.check(given.flow, "accounts.sign_in: option 'flow'", signIns.context.state)
    if let flow = LuaFlow(given.flow) { return (flow, false) }
    return try await signIns.flows.flow(named: given.flowName ?? "")
  }
}

extension TokenSet {
  /// The token response of a flow: the table that `oauth.token` returned, or one like it.
  @HostActor init(_ table: LuaTable) {
    self.init(
      accessToken: table["access_token"].asSecret, refreshToken: table["refresh_token"].asSecret,
      idToken: table["id_token"].asSecret, tokenType: table["token_type"].string ?? "Bearer",
      expiresIn: table["expires_in"].integer ?? table["expires_in"].string.flatMap { Int64($0) }
        ?? table["expires_at"].integer.map { max($0, 0) - Int64(time(nil)) },
      scopes: table["scope"].string?.split(separator: " ").map(String.init))
  }
}

extension LuaType {
  static let flow = LuaType.callback(
    [Parameter("ctx", .object("flow context"), "The context of the sign-in.")],
    returns: [.init(.record(.tokenResponse), "The result of oauth.token.")])
}

/// The call of `accounts.sign_in` that runs. A handler of its failures changes the options of the attempt that failed.
@HostActor
final class SignInCall {
  @TaskLocal static var current: SignInCall?

  var options: [String: LuaValue] = [:]
  /// The function that renews the tokens of the last attempt, if only this run has it.
  var refresh: LuaFunction?
}
