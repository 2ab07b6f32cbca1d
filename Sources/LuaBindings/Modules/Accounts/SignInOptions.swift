import Automation
import Core
import HostLoop
import Lua
import Settings

/// The options of `accounts.sign_in`.
enum SignInOptions {
  static let keys: [Parameter] =
    [
      Parameter(
        "flow", .either([.openChoice(Registry.stockFlows), .flow]), optional: true,
        "The name of a stock flow or of a plugin's, or a function; authorization_code if not given."),
      Parameter("policy", .string, optional: true, "A policy, or its name in settings.policies; signIn if not given."),
      Parameter("scopes", .words, optional: true, "A list; those of the settings if not given."),
      Parameter(
        "account", .object("account"), optional: true, "Sign this account in again: its policy, scopes, type and name."),
      Parameter("prompt", .string, optional: true, "none, login, consent or select_account."),
      Parameter("login_hint", .string, optional: true, "The user name that the provider suggests."),
      Parameter("domain_hint", .string, optional: true, "The identity provider to use."),
      Parameter("ui_locales", .string, optional: true, "The languages of the pages, separated by spaces."),
      Parameter("max_age", .integer, optional: true, "The maximum seconds since the user entered a password."),
      Parameter("acr_values", .string, optional: true, "The required methods of sign-in, with the provider's names."),
      Parameter("id_token_hint", .secret, optional: true, "The ID token of an earlier sign-in."),
      Parameter("response_mode", .string, optional: true, "query, fragment or form_post."),
      Parameter("parameters", .map(of: .requestValue), optional: true, "Further parameters of the authorization URL."),
      Parameter("refresh_token", .secret, optional: true, "The refresh token for the flow refresh."),
      Parameter("access_token", .boolean, optional: true, "false: the scopes request no access token."),
      Parameter("settings", .object("settings"), optional: true, "Other settings, from settings.with { … }."),
      Parameter("account_type", .string, optional: true, "A name of your own for the kind of account."),
    ] + AgentChoice.keys

  /// The options that the host handles. A flow does not see them.
  private static let hidden: Set<String> = [
    "flow", "account", "settings", "agent", "otp", "session", "on_navigate", "on_page", "timeout", "access_token",
  ]

  /// The options that a flow sees besides the scopes.
  static let keysOfFlows = keys.filter { !hidden.contains($0.name) && $0.name != "scopes" }

  /// `ctx.options`
  static func shown(_ options: [String: LuaValue], _ scopes: [String]) -> LuaValue {
    let given = options.filter { !hidden.contains($0.key) }.map { name, value in
      // Passwords and tokens given as plain strings become secrets.
      (
        name: name,
        value: ["password", "refresh_token", "id_token_hint"].contains(name) ? .secret(value.asSecret) : value
      )
    }
    return .record(given + [("scopes", .list(scopes.map { .string($0) }))])
  }
}

extension LuaType {
  /// A sign-in flow.
  static let flow = LuaType.callback(
    [Parameter("ctx", .object("flow context"), "The context of the sign-in.")],
    returns: [.init(.record(.tokenResponse), "The result of oauth.token.")])
}

/// The call of `accounts.sign_in` that runs. A handler of its failures changes the options of the attempt that failed.
@HostActor
final class SignInCall {
  @TaskLocal static var current: SignInCall?

  /// The options of the latest attempt.
  var options: [String: LuaValue] = [:]
}
