import Automation
import Core
import HostLoop
import JSON
import Lua
import LuaKit
import OAuth

extension LuaRecord {
  /// The result of `oauth.pkce` (RFC 7636).
  static let pkce = LuaRecord(
    "PKCE pair", "A code verifier and its challenge.",
    Parameter("verifier", .string, "The code verifier, for oauth.token as code_verifier."),
    .optional("challenge", .string, "The code challenge in the authorization URL."),
    .optional("method", .choice(["S256", "plain"]), "The method that derives the challenge."))

  /// The provider's metadata document (OpenID Connect Discovery 1.0, 3).
  static let metadata = LuaRecord(
    "metadata", "The metadata document of a provider.",
    Parameter("issuer", .string, "The issuer of its tokens."),
    .optional("authorization_endpoint", .string, "The URL at which users sign in."),
    .optional("token_endpoint", .string, "The URL that issues tokens."),
    .optional("jwks_uri", .string, "The URL of the provider's keys."),
    .optional("end_session_endpoint", .string, "The URL that ends a session."), others: .any)

  /// The request of `oauth.token` (RFC 6749).
  static let tokenRequest = LuaRecord(
    "token request", "A grant and its parameters.",
    Parameter("grant_type", .string, "The grant type, such as authorization_code, password, refresh_token."),
    PolicyOptions.keys[0], .optional("scopes", .words, "The requested scopes."),
    .optional("code", .secret, "The code, for the authorization code grant."),
    .optional("redirect_uri", .string, "The redirect URI, for the authorization code grant."),
    .optional("code_verifier", .secret, "The PKCE verifier, for the authorization code grant."),
    .optional(
      "refresh_token", .either([.string, .object("secret"), .object("sealed secret")]),
      "The refresh token, for the refresh token grant."),
    .optional("username", .string, "The user name, for the password grant."),
    .optional("password", .secret, "The password, for the password grant."),
    .optional("device_code", .secret, "The device code, for the device code grant."),
    .optional("continuation_token", .secret, "The token of oauth.native, for the grants of native authentication."),
    .dpop(
      "Bind the tokens to a key (RFC 9449): true for a new key, or a key of b2c.jose. If not given: in a flow, the key of the "
        + "sign-in; else none."),
    .optional("oob", .secret, "The code that the user received, for the grant oob."),
    .optional(
      "resource", .words,
      "The API that the access token is for, or several (RFC 8707). An account that a flow makes sends them with each refresh."
    ),
    .optional(
      "authorization_details", .either([.string, .list(of: .map(of: .any))]),
      "The requested details (RFC 9396), for a grant without an authorization request, or to ask for less than it."
    ),
    others: .either([.string, .object("secret"), .number, .boolean]))

  /// The result of `oauth.token` (RFC 6749, 5.1).
  static let tokenResponse = LuaRecord(
    "token response", "The response of the token endpoint. A flow returns it.",
    .optional("access_token", .secret, "The access token, a secret."),
    .optional("refresh_token", .secret, "The refresh token, a secret."),
    .optional("id_token", .secret, "The ID token, a secret."),
    .optional("token_type", .string, "The type of the access token, such as Bearer."),
    .optional("scope", .string, "The granted scopes, separated by spaces."),
    .optional("expires_in", .either([.integer, .string]), "The lifetime in seconds, as sent."),
    .optional("expires_at", .integer, "The expiry time of the access token, in Unix seconds."),
    .optional("dpop_key", .object("key"), "The key that the tokens are bound to."),
    .optional("authorization_details", .list(of: .map(of: .any)), "The details that the provider granted (RFC 9396)."),
    .optional(
      "subject", .string, "In the result of a flow: the user, if there is no ID token. Nothing proves this name."),
    .optional(
      "refresh", .refreshFunction,
      "In the result of a flow: renews the tokens of the account in this run, in place of the token endpoint."),
    others: .any
  )

  /// The result of `oauth.redirect` (RFC 6749, 4.1.2).
  static let redirect = LuaRecord(
    "redirect answer", "The parameters of a redirect URL.",
    .optional("code", .string, "The authorization code, for oauth.token."),
    .optional("state", .string, "The state of the request."),
    .optional("id_token", .object("secret"), "A secret, from the hybrid or implicit flow."),
    .optional("access_token", .object("secret"), "A secret, from the implicit flow."), others: .string)

  /// `ctx.options`: the options of `accounts.sign_in` that are a flow's business.
  static let flowOptions = LuaRecord(
    "flow request", "The options of a sign-in that the flow receives.",
    [Parameter("scopes", .list(of: .string), "The requested scopes.")] + SignInOptions.keysOfFlows)
}

extension TokenRequest {
  /// The table of `oauth.token`: any grant, with any parameters.
  @HostActor init(_ table: LuaTable?, _ arguments: Arguments) throws {
    guard let grant = table?["grant_type"].string else {
      throw arguments.failure("grant_type is missing", hint: "for example grant_type = \"authorization_code\"")
    }
    self.init(
      grantType: grant, policy: table?["policy"].string, scopes: try arguments.words(table?["scopes"] ?? .nil, "scopes")
    )
    for pair in try table?.pairs ?? [] {
      guard let name = pair.key.string else {
        throw arguments.failure("parameters have names, got a \(pair.key.typeName) as key")
      }
      if ["grant_type", "policy", "scopes", "dpop", "resource", "authorization_details"].contains(name) { continue }
      switch pair.value {
      case .bytes, .integer, .number, .boolean: parameters[name] = arguments.state.rawText(of: pair.value)
      default:
        let sealed = name == "refresh_token" ? pair.value.object(SealedSecret.self)?.secret : nil
        guard let secret = sealed ?? pair.value.asSecret else {
          throw arguments.failure("\(name): expected a string, got \(pair.value.typeName)")
        }
        parameters[name] = secret.reveal()
      }
    }
  }
}
