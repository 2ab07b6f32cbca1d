import Accounts
import Automation
import Core
import Glibc
import HTTPClient
import HostLoop
import JSON
import Lua
import OAuth
import Permissions
import Settings

extension AccountsModule {
  static let signInFunction = suspending(
    "accounts.sign_in", "Signs a user in with a flow and an agent.", options: SignInOptions.keys,
    returns: .init(.object("account"), "The account."),
    example: """
      local alice = b2c.accounts.sign_in { agent = "headless", username = "alice", password = "Wonderland-1" }
      print(alice.name, alice.policy, alice:token())
      """
  ) { module, arguments in [.object(try await module.signIn(arguments))] }

  func signIn(_ arguments: Arguments) async throws -> LuaAccount {
    let call = SignInCall()
    let account = try await host.session.signIn(try await request(arguments, of: call))
    host.accounts.refreshes[account.id] = call.refresh
    return try host.luaAccount(account)
  }

  /// The request of the next attempt: the options that a handler of `on_failed` returned, over those of the failed one.
  /// - Returns: nil when the handler returned nothing, or a refresh failed.
  func request(_ answer: LuaValue, after failure: SignInFailure) async throws -> SignInRequest? {
    switch answer {
    case .nil: return nil
    case .table(let table):
      let given = try Arguments(options: table, of: Self.signInFunction.of(self), host.state)
      guard failure.account == nil, let call = failure.caller as? SignInCall else { return nil }
      return try await request(given, of: call)
    case let other:
      throw LuaError(
        code: "invalid_argument",
        message: "accounts.on_failed: the handler returned a \(other.typeName), expected sign-in options or nothing",
        hint: "for example return { policy = \"reset\" }")
    }
  }

  private func request(_ arguments: Arguments, of call: SignInCall) async throws -> SignInRequest {
    let session = host.session
    var options = call.options.merging(arguments.options) { _, new in new }
    options = host.variation.applied(to: options, SignInOptions.keys)
    let demand = try Self.demand(&options, arguments)
    var settings = try session.settings()
    var scopes = try arguments.words(options["scopes"] ?? .nil, "option 'scopes'")
    if let again = options["account"]?.object(LuaAccount.self)?.account {
      // The sign-in gets what the client secret of the account is good for.
      try session.accounts.demandTokens(of: again)
      settings = try await session.accounts.settings(of: again)
      let known: [String: LuaValue] = [
        "policy": .string(again.policy), "account_type": .string(again.accountType),
        "login_hint": .string(again.loginHint),
      ]
      scopes = scopes ?? again.requestedScopes
      options.merge(known.filter { !$0.value.isNil }) { given, _ in given }
    }
    if let other = options["settings"]?.object(LuaSettings.self) {
      settings = try other.settings()
      // The user's password goes to these origins now, and the tokens in runs to come.
      for origin in settings.origins { try host.permissions.check(origin, by: arguments.function.name) }
    }
    if let profile = options["profile"]?.string {
      settings = try settings.with([SettingsKey.profile.rawValue: .string(profile)])
    }
    // B2C has a policy of its own for passwords that do not go through a page. It is not among the options, for the flow
    // that a handler of failures goes on with may be another.
    let isForPasswords = options["flow"]?.string == "password" && settings.policies["ropc"] != nil
    _ = try arguments.resources(options["resource"] ?? .nil)
    _ = try arguments.details(options["authorization_details"] ?? .nil, host.json)
    var agent = AgentChoice()
    agent.kind = host.scriptRun.agents.standard(settings)
    try agent.merge(options, arguments, host)
    if let flow = Self.flowName(options), Registry.isStockFlow(flow) {
      // A variation of the run, or an earlier attempt, may have named the other options.
      try SignInEffect.check(arguments.options, flow: flow, agent: agent.kind, arguments)
    }
    let asked = scopes ?? settings.scopes
    let attempt = session.attempt(
      settings, policy: try settings.policy(options["policy"]?.string ?? (isForPasswords ? "ropc" : nil)), agent: agent)
    attempt.demand = demand
    return session.signInRequest(
      attempt, accountType: options["account_type"]?.string ?? settings.accountIdentifier ?? "default", scopes: asked,
      flowName: Self.flowName(options), caller: call
    ) { [self, options] in
      call.options = options
      call.refresh = nil
      return try await run(call, asked, attempt)
    }
  }

  private static func flowName(_ options: [String: LuaValue]) -> String? {
    LuaFlow(options["flow"]) == nil ? options["flow"]?.string ?? "authorization_code" : nil
  }

  /// The demand of the option `for_challenge`, whose parameters become options of the sign-in unless they are given.
  private static func demand(
    _ options: inout [String: LuaValue], _ arguments: Arguments
  ) throws -> (acrValues: [String]?, maxAge: Int?)? {
    guard let error = options["for_challenge"]?.table else { return nil }
    // An import ends with an error of its own, which names the cause.
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

  private func run(_ call: SignInCall, _ scopes: [String], _ attempt: SignInAttempt) async throws -> TokenSet {
    let options = call.options
    let (flow, isStock) = try await flow(options)
    let bindsByProfile = attempt.settings.needsProofKey && (options["dpop"] ?? .nil).isNil
    try ProfileChecks(attempt.provider).check(isBound: options["dpop"]?.boolean != false)
    // An API may also be named by a resource, or by the details.
    if isStock, Self.flowName(options) != "client_credentials", options["access_token"]?.boolean != false,
      options["resource"] == nil, options["authorization_details"] == nil
    {
      try AccessTokenScopes(attempt.settings).check(scopes)
    }
    attempt.proofKey = try await (bindsByProfile ? .boolean(true) : options["dpop"] ?? .nil).proofKey(
      attempt, "accounts.sign_in")
    let shown = SignInOptions.shown(options.merging(["scopes": .list(scopes.map { .string($0) })]) { $1 })
    let ctx = LuaFlowContext(attempt, .record(shown), host.json)
    let result: LuaValue
    do { result = try await ctx.run(flow.signIn) } catch var error as LuaError {
      guard error.code != "script_error" else { throw error }
      if !(options["scopes"] ?? .nil).isNil {
        error.hint = error.hint?.replacing("scopes in the settings", with: "the option scopes (--scopes)")
      }
      guard isStock else { throw error }
      // The reader can change the call of sign_in, and not a line of a stock flow.
      error.location = nil
      error.value = nil
      throw error
    }
    var tokens = try TokenSet(result, of: "the flow", "flow", in: attempt)
    try TokenSet.checkUse(ofType: tokens.tokenType)
    tokens.givenSubject = options["subject"]?.string ?? result.table?["subject"].string
    if let refresh = result.table?["refresh"].function ?? flow.refresh {
      tokens.refreshFlow = Self.flowName(options) ?? "@\(flow.signIn.place ?? "an unknown place")"
      // A named flow is found by its name, also in other runs.
      if Self.flowName(options) == nil || flow.refresh == nil { call.refresh = refresh }
    }
    return tokens
  }

  private func flow(_ options: [String: LuaValue]) async throws -> (flow: LuaFlow, isStock: Bool) {
    try LuaFlow.check(options["flow"], "accounts.sign_in: option 'flow'", host.state)
    if let flow = LuaFlow(options["flow"]) { return (flow, false) }
    return try await host.registry.flow(named: Self.flowName(options) ?? "")
  }
}

extension TokenSet {
  /// The token response of a flow: the table that `oauth.token` returned, or one with its tokens.
  /// - Parameter what: the function whose result it is.
  @HostActor init(_ result: LuaValue, of what: String, _ noun: String, in attempt: SignInAttempt) throws {
    guard let table = result.table else {
      let actual = result.isNil ? "nothing" : "a \(result.typeName)"
      throw LuaError(
        code: "invalid_flow", message: "\(what) returned \(actual), expected the token response of oauth.token",
        hint: "end the \(noun) with: return oauth.token { … }")
    }
    let (access, refresh, id) = (table["access_token"], table["refresh_token"], table["id_token"])
    self.init(
      accessToken: access.asSecret, refreshToken: refresh.asSecret, idToken: id.asSecret,
      tokenType: table["token_type"].string ?? "Bearer",
      expiresIn: table["expires_in"].integer ?? table["expires_in"].string.flatMap { Int64($0) }
        ?? table["expires_at"].integer.map { max($0, 0) - Int64(time(nil)) },
      scopes: table["scope"].string?.split(separator: " ").map(String.init))
    // The tokens know the response that brought them.
    if let response = [access, refresh, id].compactMap({ $0.object(LuaSecret.self)?.origin as? TokenSet }).first {
      grantType = response.grantType
      binding = response.binding
    }
    guard attempt.proofKey != nil, accessToken != nil, binding.proofKey == nil else { return }
    throw LuaError(
      code: "unsupported_token_type",
      message: "accounts.sign_in: option 'dpop': the flow returned tokens that are not bound to a key",
      hint: "the flow must return the response of oauth.token, without dpop = false")
  }
}

extension LuaType {
  static let flow = LuaType.callback(
    [Parameter("ctx", .object("flow context"), "The context of the sign-in.")],
    returns: [.init(.record(.tokenResponse), "The result of oauth.token.")])
}

/// A call of `accounts.sign_in`. It comes back with each failure, whose handler changes the options of the failed attempt.
@HostActor
final class SignInCall {
  var options: [String: LuaValue] = [:]
  /// The function that renews the tokens of the last attempt, if only this run has it.
  var refresh: LuaFunction?
}
