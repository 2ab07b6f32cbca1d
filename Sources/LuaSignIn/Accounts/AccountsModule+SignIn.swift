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
  /// The options of `accounts.sign_in`.
  package nonisolated static let signInOptions = SignInOptions.keys

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
    let call = SignInCall()
    let account = try await signIns.session.signIn(try await request(arguments, of: call))
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
    let session = signIns.session
    var options = call.options.merging(arguments.options) { _, new in new }
    options = signIns.variation.applied(to: options, SignInOptions.keys)
    var given = try SignInOptions(options, of: arguments)
    let demand = try given.scopeChallenge == nil ? Self.demand(given.challenge, &options, arguments) : nil
    let server = try await settingsForServer(&given, &options, arguments)
    var settings = try server?.settings ?? session.settings()
    var scopes = server?.scopes ?? given.basic.request.scopes
    if let again = given.account?.account {
      // The sign-in gets what the client secret of the account is good for.
      try session.accounts.demandTokens(of: again)
      if server == nil { settings = try await session.accounts.settings(of: again) }
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
    let attempt = session.attempt(
      settings, policy: try settings.policy(given.basic.request.policy ?? (isForPasswords ? "ropc" : nil)), agent: agent
    )
    attempt.demand = demand
    return session.signInRequest(
      attempt, accountType: given.accountType ?? settings.accountIdentifier ?? "default", scopes: asked,
      flowName: given.flowName, caller: call
    ) { [self, options, given] in
      call.options = options
      call.refresh = nil
      return try await run(call, given, asked, attempt)
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
    _ call: SignInCall, _ given: SignInOptions, _ scopes: [String], _ attempt: SignInAttempt
  ) async throws -> TokenSet {
    let (flow, isStock) = try await flow(given)
    let bindsByProfile = attempt.settings.needsProofKey && given.dpop.isNil
    try ProfileChecks(attempt.provider).check(isBound: given.dpop.boolean != false)
    // An API may also be named by a resource, or by the details.
    if isStock, given.flowName != "client_credentials", given.needsAccessToken != false,
      call.options["resource"] == nil, given.basic.details.isNil
    {
      try AccessTokenScopes(attempt.settings).check(scopes)
    }
    attempt.proofKey = try await (bindsByProfile ? .boolean(true) : given.dpop).proofKey(attempt, "accounts.sign_in")
    let shown = SignInOptions.shown(call.options.merging(["scopes": .list(scopes.map { .string($0) })]) { $1 })
    let ctx = LuaFlowContext(attempt, .record(shown), signIns.context.json)
    let result: LuaValue
    do { result = try await ctx.run(flow.signIn) } catch var error as LuaError {
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
    var tokens = try TokenSet(result, of: "the flow", "flow", in: attempt)
    try TokenSet.checkUse(ofType: tokens.tokenType)
    tokens.givenSubject = given.subject ?? result.table?["subject"].string
    // Servers of the Model Context Protocol seldom tell who the user is: the account is the one for the server.
    if tokens.idToken == nil, tokens.givenSubject == nil { tokens.givenSubject = given.server.resource }
    if let refresh = result.table?["refresh"].function ?? flow.refresh {
      tokens.refreshFlow = given.flowName ?? "@\(flow.signIn.place ?? "an unknown place")"
      // A named flow is found by its name, also in other runs.
      if given.flowName == nil || flow.refresh == nil { call.refresh = refresh }
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
        ?? table["expires_at"].integer.map { max($0, 0) - Int64(UnixTime.now.seconds) },
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
