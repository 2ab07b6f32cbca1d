import Accounts
import Automation
import HostLoop
import Lua
import LuaKit
import OAuth
import Settings

/// The options of `accounts.sign_in`.
enum SignInOptions {
  static let keys: [Parameter] =
    [
      .optional(
        "flow", .either([.openChoice(Flows.stock), .flow, .record(.flowParts)]),
        "The name of a stock flow or of another flow, a function, or a table with sign_in and refresh; authorization_code "
          + "if not given."),
      .optional("policy", .string, "A policy, or its name in settings.policies; signIn if not given."),
      .optional("scopes", .words, "The requested scopes; the scopes of the settings if not given."),
      .optional("account", .object("account"), "Sign in this account again, with its policy, scopes, type and name."),
    ] + AuthorizationRequest.sharedKeys + [
      .optional("parameters", .map(of: .requestValue), "Further parameters of the authorization URL."),
      AuthorizationRequest.parParameter, AuthorizationRequest.objectParameter,
      .dpop(
        "Bind the tokens to a key (DPoP, RFC 9449): true for a new key, or a key of b2c.jose. The key is sealed with the "
          + "account."),
      .optional("refresh_token", .secret, "The refresh token for the flow refresh."),
      .optional("sign_up", .boolean, "true: the flow native makes a new user."),
      .optional("reset", .boolean, "true: the flow native sets password in place of a forgotten one."),
      .optional(
        "code",
        .either([
          .string,
          .callback([Parameter("sent", .record(.sentCode), "The sent code.")], returns: [.init(.secret, "The code.")]),
        ]), "The one-time code for the flow native, or a function that returns the code."),
      .optional(
        "attributes",
        .either([
          .map(of: .any),
          .callback(
            [Parameter("required", .list(of: .record(.requiredAttribute)), "The missing attributes.")],
            returns: [.init(.map(of: .any), "The values, by name.")]),
        ]), "The attributes of a new user for the flow native, or a function that returns them."),
      .optional(
        "profile", .choice(SecurityProfile.allCases.map(\.rawValue)),
        "The profile that the sign-in and its refreshes keep to; the setting profile if not given."),
      .optional(
        "for_challenge", .record(.error),
        "The error insufficient_user_authentication of a request (RFC 9470): sign in as the resource demands, and check acr "
          + "and auth_time of the ID token."),
      .optional(
        "subject", .string,
        "The user, if the provider issues no ID token: nothing proves this name. With an ID token, sub must be the same."
      ),
      .optional("access_token", .boolean, "false: do not require an access token."),
      .optional("settings", .object("settings"), "Other settings, from settings.with { … }."),
      .optional("account_type", .string, "Your own name for the kind of account."),
      .optional(
        "binding_message", .string, "The text that both devices show, for the flow backchannel."),
    ] + AgentChoice.keys

  /// The options that the host handles. A flow does not see them.
  private static let hidden: Set<String> = [
    "flow", "account", "settings", "agent", "otp", "session", "on_navigate", "on_page", "timeout", "access_token",
    "profile", "for_challenge",
  ]

  static let secrets: Set<String> = ["password", "refresh_token", "id_token_hint", "code"]

  /// The options that a flow sees besides the scopes.
  static let keysOfFlows = keys.filter { !hidden.contains($0.name) && $0.name != "scopes" }

  /// The options that a flow sees, as `ctx.options` has them.
  static func shown(_ options: [String: LuaValue]) -> [(name: String, value: LuaValue)] {
    options.filter { !hidden.contains($0.key) }.map { name, value in
      // Passwords and tokens given as plain strings become secrets.
      if secrets.contains(name), value.function == nil { return (name, .secret(value.asSecret)) }
      // A flow always gets a list of scopes.
      if name == "scopes", let words = value.string {
        return (name, .list(words.split(separator: " ").map { .string(String($0)) }))
      }
      return (name, value)
    }
  }
}
