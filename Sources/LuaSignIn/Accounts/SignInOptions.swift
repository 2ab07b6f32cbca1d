import Accounts
import Automation
import HostLoop
import Lua
import LuaKit
import OAuth
import Settings

/// The options of `accounts.sign_in`. A flow gets its own part of them as a table.
struct SignInOptions: LuaOptions {
  var flow = LuaValue.nil
  /// The policy, the scopes, and the options that the authorization request has, too.
  var basic = RequestOptions()
  var account: LuaAccount?
  var dpop = LuaValue.nil
  var profile: String?
  /// The error of a request that needs another sign-in.
  var challenge: LuaTable?
  var subject: String?
  var needsAccessToken: Bool?
  var settings: LuaSettings?
  var accountType: String?
  var agent = AgentOptions()
  var server = ServerOptions()

  /// The name of the flow; nil for a flow that the option has.
  @HostActor var flowName: String? { LuaFlow(flow) == nil ? flow.string ?? "authorization_code" : nil }

  static let fields: [Field] =
    request + Field.nested(RequestOptions.shared, in: \.basic) + protection + native + kind
    + Field.nested(AgentOptions.fields, in: \.agent) + Field.nested(ServerOptions.fields, in: \.server)

  private static let request: [Field] = [
    .init(
      "flow", \.flow, .either([.openChoice(Flows.stock), .flow, .record(.flowParts)]),
      "The name of a stock flow or of another flow, a function, or a table with sign_in and refresh; authorization_code "
        + "if not given."
    ) { value, _ in value },
    .init(
      "policy", \.basic.request.policy, "A policy, or its name in settings.policies; signIn if not given."),
    .words(
      "scopes", \.basic.request.scopes, "The requested scopes; the scopes of the settings if not given."),
    .init("account", \.account, "Sign in this account again, with its policy, scopes, type and name."),
  ]

  private static let protection: [Field] = [
    .init(declared: .optional("parameters", .map(of: .requestValue), "Further parameters of the authorization URL.")),
    .init(declared: AuthorizeOptions.par.parameter), .init(declared: AuthorizeOptions.requestObject.parameter),
    .dpop(
      \.dpop,
      "Bind the tokens to a key (DPoP, RFC 9449): true for a new key, or a key of b2c.jose. The key is sealed with the "
        + "account."),
    .init(declared: .optional("refresh_token", .secret, "The refresh token for the flow refresh.")),
  ]

  private static let native: [Field] = [
    .init(declared: .optional("sign_up", .boolean, "true: the flow native makes a new user.")),
    .init(
      declared: .optional("reset", .boolean, "true: the flow native sets password in place of a forgotten one.")),
    .init(
      declared: .optional(
        "code",
        .either([
          .string,
          .callback([Parameter("sent", .record(.sentCode), "The sent code.")], returns: [.init(.secret, "The code.")]),
        ]), "The one-time code for the flow native, or a function that returns the code.")),
    .init(
      declared: .optional(
        "attributes",
        .either([
          .map(of: .any),
          .callback(
            [Parameter("required", .list(of: .record(.requiredAttribute)), "The missing attributes.")],
            returns: [.init(.map(of: .any), "The values, by name.")]),
        ]), "The attributes of a new user for the flow native, or a function that returns them.")),
  ]

  private static let kind: [Field] = [
    .init(
      "profile", \.profile, .choice(SecurityProfile.allCases.map(\.rawValue)),
      "The profile that the sign-in and its refreshes keep to; the setting profile if not given."),
    .init(
      "for_challenge", \.challenge, .record(.error),
      "The error insufficient_user_authentication of a request (RFC 9470): sign in as the resource demands, and check acr "
        + "and auth_time of the ID token."),
    .init(
      "subject", \.subject,
      "The user, if the provider issues no ID token: nothing proves this name. With an ID token, sub must be the same."
    ),
    .init("access_token", \.needsAccessToken, "false: do not require an access token."),
    .init("settings", \.settings, "Other settings, from settings.with { … }."),
    .init("account_type", \.accountType, "Your own name for the kind of account."),
    .init(
      declared: .optional(
        "binding_message", .string, "The text that both devices show, for the flow backchannel.")),
  ]

  /// The options that the host handles. A flow does not see them.
  private static let hidden: Set<String> = [
    "flow", "account", "settings", "agent", "otp", "session", "on_navigate", "on_page", "timeout", "access_token",
    "profile", "for_challenge", "mcp", "private_network",
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
