import Accounts
import Automation
import Core
import HostLoop
import JSON
import Lua
import Permissions
import Settings

/// What `accounts.sign_in` was asked for.
struct SignInRequest: Sendable {
  /// As given: the options of the call, under those that handlers of failures returned since.
  let options: [String: LuaValue]
  let agent: AgentChoice
  let settings: Settings

  static let keys: [Parameter] =
    [
      Parameter(
        "flow",
        .either([.openChoice(Registry.stockFlows), .flow]), optional: true,
        "The name of a stock flow or of a plugin's, or a function; authorization_code if not given."),
      Parameter("policy", .string, optional: true, "A policy, or its name in settings.policies; signIn if not given."),
      Parameter("scopes", .words, optional: true, "A list; those of the settings if not given."),
      Parameter(
        "account", .object("account"), optional: true, "Sign this account in again: its policy, scopes, type and name."),
      Parameter("prompt", .string, optional: true, "none, login, consent or select_account."),
      Parameter("login_hint", .string, optional: true, "Who is to sign in."),
      Parameter("domain_hint", .string, optional: true, "Which identity provider."),
      Parameter("ui_locales", .string, optional: true, "Languages, with spaces between."),
      Parameter("max_age", .integer, optional: true, "Seconds since the user last typed a password, at most."),
      Parameter("acr_values", .string, optional: true, "How the user is to sign in, as the provider calls it."),
      Parameter("id_token_hint", .secret, optional: true, "Who was signed in."),
      Parameter("response_mode", .string, optional: true, "query, fragment or form_post."),
      Parameter("parameters", .map(of: .requestValue), optional: true, "Further parameters of the authorization URL."),
      Parameter("refresh_token", .secret, optional: true, "What the flow refresh starts from."),
      Parameter("access_token", .boolean, optional: true, "false: the scopes are not meant to give one."),
      Parameter("settings", .object("settings"), optional: true, "Other settings, from settings.with { … }."),
      Parameter("account_type", .string, optional: true, "A name of your own for the kind of account."),
    ] + AgentChoice.keys

  /// The options that the host takes care of.
  static let hidden: Set<String> = [
    "flow", "account", "settings", "agent", "otp", "session", "on_navigate", "on_page", "timeout", "access_token",
  ]

  /// What the flow sees as `ctx.options`.
  func shown(_ scopes: [String]) -> LuaValue {
    let given = options.filter { !Self.hidden.contains($0.key) }.map { name, value in
      // Passwords and tokens given as plain strings become secrets.
      (
        name: name,
        value: ["password", "refresh_token", "id_token_hint"].contains(name) ? .secret(value.asSecret) : value
      )
    }
    return .record(given + [("scopes", .list(scopes.map { .string($0) }))])
  }

  /// The flow's name; nil for a function.
  var flowName: String? {
    options["flow"]?.function == nil ? options["flow"]?.string ?? "authorization_code" : nil
  }
}

extension LuaType {
  /// A sign-in flow.
  static let flow = LuaType.callback(
    [Parameter("ctx", .object("flow context"), "What is to be done.")],
    returns: [.init(.record(.tokenResponse), "What oauth.token returned.")])
}

extension ScriptHost {
  /// The options a handler of `on_failed` returned, over those of the failed attempt.
  func nextOptions(_ table: LuaTable, after failure: SignInFailure) async throws -> SignInOptions? {
    let given = try Arguments(options: table, of: signInFunction, state)
    guard let before = failure.options?.payload as? SignInRequest else { return nil }
    return try await signInOptions(given, over: before.options)
  }

  func signInOptions(_ arguments: Arguments, over before: [String: LuaValue] = [:]) async throws -> SignInOptions {
    var options = before.merging(arguments.options) { _, new in new }
    var settings = try settings()
    var scopes = try arguments.words(options["scopes"] ?? .nil, "option 'scopes'")
    if case .object(let object)? = options["account"], let again = (object as? LuaAccount)?.account {
      settings = try await self.settings(toSignInAgain: again)
      let known: [String: LuaValue] = [
        "policy": .string(again.policy), "account_type": .string(again.accountType),
        "login_hint": .string(again.loginHint),
      ]
      scopes = scopes ?? again.requestedScopes
      options.merge(known.filter { !$0.value.isNil }) { given, _ in given }
    }
    if case .object(let object)? = options["settings"], let other = object as? LuaSettings {
      settings = try other.settings()
      // What is signed in with goes to where these lead, and tokens later: now, and in runs to come.
      for origin in settings.origins { try permissions.check(origin, by: arguments.function.name) }
    }
    // B2C has a policy of its own for passwords that do not go through a page. It is not among the options, for the flow
    // that a handler of failures goes on with may be another.
    let isForPasswords = options["flow"]?.string == "password" && settings.policies["ropc"] != nil
    var agent = AgentChoice()
    agent.kind = try standardAgent(settings)
    try agent.merge(options, arguments, registry)
    return SignInOptions(
      policy: try settings.policy(options["policy"]?.string ?? (isForPasswords ? "ropc" : nil)),
      accountType: options["account_type"]?.string ?? settings.accountIdentifier ?? "default",
      scopes: scopes ?? settings.scopes,
      provider: settings.provider, clientSecret: settings.clientSecret, agent: agent.kind.rawValue,
      session: agent.session, payload: SignInRequest(options: options, agent: agent, settings: settings))
  }
}

extension Account {
  /// What the provider may know its user by, for `login_hint`.
  var loginHint: String? {
    claims["preferred_username"]?.string ?? claims["emails"]?.array?.first?.string ?? claims["email"]?.string
  }
}
