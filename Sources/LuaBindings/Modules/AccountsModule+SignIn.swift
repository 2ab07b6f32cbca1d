import Accounts
import Diagnostics
import FoundationEssentials
import HTTPClient
import HostLoop
import JOSE
import Lua
import OAuth
import Secrets
import Settings

/// What `accounts.sign_in` was asked for, for the flow.
private struct SignInRequest: Sendable {
  /// As given: the options of the call, under those that handlers of failures returned since.
  var options: [String: LuaValue]
  var agent: AgentChoice
  var settings: Settings
}

/// One sign-in's flow, as its validation needs to know it.
@HostActor
private final class Attempt {
  var context: FlowContext?
}

extension ScriptHost {
  nonisolated private static let flowKeys: [Parameter] = [
    Parameter(
      "flow", .either([.string, .function]), optional: true,
      "A stock flow's name, or a function; authorization_code if not given."),
    Parameter("policy", .string, optional: true, "A policy, or its name in settings.policies; signIn if not given."),
    Parameter("scopes", .either([.table, .string]), optional: true, "A list; those of the settings if not given."),
    Parameter("prompt", .string, optional: true, "none, login, consent or select_account."),
    Parameter("login_hint", .string, optional: true, "Who is to sign in."),
    Parameter("ui_locales", .string, optional: true, "Languages, with spaces between."),
    Parameter("parameters", .table, optional: true, "Further parameters of the authorization URL."),
    Parameter("settings", .object("settings"), optional: true, "Other settings, from settings.with { … }."),
    Parameter("account_type", .string, optional: true, "A name of your own for the kind of account."),
  ]

  var signInFunction: HostFunction {
    .suspending(
      "accounts.sign_in", "Signs somebody in, by a flow and an agent.", [.options(Self.flowKeys + Self.agentKeys)],
      returns: [.init(.object("account"), "The account.")]
    ) { [self] arguments in
      let manager = try accounts()
      let attempt = Attempt()
      let steps = SignInSteps(
        run: { [self] options, _ in try await runFlow(options, attempt) },
        validate: { [self] grant, options in try await validate(grant, options, attempt) },
        stage: { Self.stage($0) })
      let account = try luaAccount(try await manager.signIn(try signInOptions(arguments), steps))
      account.client = attempt.context?.client
      return [.object(account)]
    }
  }

  /// The options a handler of `on_failed` returned, over those of the failed attempt.
  func nextOptions(_ table: LuaTable, after failure: SignInFailure) throws -> SignInOptions? {
    let given = try Arguments(options: table, of: signInFunction, state)
    guard let before = failure.options?.payload as? SignInRequest else { return nil }
    return try signInOptions(given, over: before.options)
  }

  private func signInOptions(_ arguments: Arguments, over before: [String: LuaValue] = [:]) throws -> SignInOptions {
    let options = before.merging(arguments.options) { _, new in new }
    var agent = AgentChoice()
    try agent.merge(options, arguments)
    var settings = try settings()
    if case .object(let object)? = options["settings"], let other = object as? LuaSettings {
      settings = try other.settings()
    }
    let scopes = try arguments.words(options["scopes"] ?? .nil, "option 'scopes'") ?? settings.scopes
    return SignInOptions(
      policy: try settings.policy(options["policy"]?.string),
      accountType: options["account_type"]?.string ?? settings.accountIdentifier ?? "default", scopes: scopes,
      payload: SignInRequest(options: options, agent: agent, settings: settings))
  }

  // MARK: The steps

  private func runFlow(_ options: SignInOptions, _ attempt: Attempt) async throws -> TokenGrant {
    guard let request = options.payload as? SignInRequest else { throw CancellationError() }
    let flow = try await flow(request.options["flow"] ?? .string("authorization_code"))
    let isStock = request.options["flow"]?.function == nil
    let context = FlowContext(
      settings: request.settings, client: OAuthClient(settings: request.settings, http: http))
    attempt.context = context
    let results: [LuaValue]
    do {
      results = try await FlowContext.$current.withValue(context) {
        try await flow.call([flowArgument(options, request)])
      }
    } catch var error as LuaError where isStock && error.code != "script_error" {
      // What its reader can do something about is the call of sign_in, not a line of ours.
      error.location = nil
      error.value = nil
      throw error
    }
    let result = results.first ?? .nil
    guard let table = result.table else {
      let got = result.isNil ? "nothing" : "a \(result.typeName)"
      throw LuaError(
        code: "invalid_flow", message: "the flow returned \(got), expected the token response of oauth.token",
        hint: "end the flow with: return oauth.token { … }")
    }
    return grant(of: table)
  }

  private func flow(_ value: LuaValue) async throws -> LuaFunction {
    if let function = value.function { return function }
    let name = value.string ?? ""
    let folder = "\(configuration.scriptsFolder)/flows"
    guard !name.contains("/"), let source = try? Data(contentsOf: URL(filePath: "\(folder)/\(name).lua")) else {
      let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
      let known = files.filter { $0.hasSuffix(".lua") }.map { String($0.dropLast(4)) }.sorted()
      let near = nearestName(to: name, in: known).map { "did you mean '\($0)'?" }
      throw LuaError(
        code: "unknown_flow", message: "there is no flow named '\(name)'",
        hint: near ?? "give a function, or one of \(known.joined(separator: ", "))")
    }
    let chunk = try state.load(Array(source), name: "flows/\(name).lua")
    guard let function = try await chunk.call().first?.function else {
      throw LuaError(code: "invalid_flow", message: "flows/\(name).lua returned no function")
    }
    return function
  }

  private func flowArgument(_ options: SignInOptions, _ request: SignInRequest) -> LuaValue {
    let hidden: Set<String> = [
      "flow", "agent", "username", "password", "on_navigate", "on_page", "timeout", "settings",
    ]
    let shown = request.options.filter { !hidden.contains($0.key) }.map { (name: $0.key, value: $0.value) }
    return .record([
      ("settings", .object(LuaSettings(json) { request.settings })), ("policy", .string(options.policy)),
      ("options", .record(shown + [("scopes", .list(options.scopes.map { .string($0) }))])),
      ("agent", .object(LuaAgent(request.agent))),
    ])
  }

  /// The token response of a flow: what `oauth.token` returned, or a table like it.
  private func grant(of table: LuaTable) -> TokenGrant {
    TokenGrant(
      accessToken: table["access_token"].asSecret, refreshToken: table["refresh_token"].asSecret,
      idToken: table["id_token"].asSecret, tokenType: table["token_type"].string ?? "Bearer",
      expiresIn: table["expires_in"].integer ?? table["expires_in"].string.flatMap { Int64($0) },
      scopes: table["scope"].string?.split(separator: " ").map(String.init))
  }

  /// Whatever the flow did, there is no account without a valid ID token, which answers the flow's own request.
  private func validate(_ grant: TokenGrant, _ options: SignInOptions, _ attempt: Attempt) async throws -> JSON {
    guard let context = attempt.context, let idToken = grant.idToken else {
      throw LuaError(
        code: "missing_id_token", message: "the sign-in brought no ID token, without which nobody knows who signed in",
        hint: "ask for the scope openid")
    }
    return try await context.client.validate(
      idToken: idToken.reveal(), policy: options.policy, nonce: context.nonces.last, accessToken: grant.accessToken
    ).json
  }

  private static func stage(_ error: any Error) -> SignInFailure.Stage {
    switch (error as? LuaError)?.details["stage"] ?? (error as? OAuthError)?.stage.rawValue {
    case "token", "validation": .token
    case "refresh": .refresh
    default: .authorize
    }
  }
}
