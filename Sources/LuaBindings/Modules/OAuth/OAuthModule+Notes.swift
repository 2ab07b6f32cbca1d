import Lua

extension LuaType {
  /// The value of a request's parameter or field; a list gives its name more than once.
  static let requestValue = LuaType.either([.string, .object("secret"), .number, .boolean, .list(of: .string)])
}

extension LuaRecord {
  /// The claims of an ID token, or whatever else a JWT says (RFC 7519, 4.1; OpenID Connect Core, 2).
  static let claims = LuaRecord(
    "claims table", "The claims of a token. The policy determines which claims exist.",
    Parameter("iss", .string, optional: true, "The issuer of the token."),
    Parameter("sub", .string, optional: true, "The subject: the ID of the user."),
    Parameter("aud", .either([.string, .list(of: .string)]), optional: true, "The audience: client IDs."),
    Parameter("exp", .integer, optional: true, "The expiry time, in Unix seconds."),
    Parameter("iat", .integer, optional: true, "The time of issue, in Unix seconds."),
    Parameter("name", .string, optional: true, "The user's name."), others: .any)

  /// The result of `oauth.pkce` (RFC 7636).
  static let pkce = LuaRecord(
    "PKCE pair", "A code verifier and its challenge.",
    Parameter("verifier", .string, "The code verifier, for oauth.token as code_verifier."),
    Parameter("challenge", .string, optional: true, "The code challenge in the authorization URL."),
    Parameter("method", .choice(["S256", "plain"]), optional: true, "The method that derives the challenge."))

  /// The provider's metadata document (OpenID Connect Discovery 1.0, 3).
  static let metadata = LuaRecord(
    "metadata", "The metadata document of a provider.",
    Parameter("issuer", .string, "The issuer of its tokens."),
    Parameter("authorization_endpoint", .string, optional: true, "The URL at which users sign in."),
    Parameter("token_endpoint", .string, optional: true, "The URL that issues tokens."),
    Parameter("jwks_uri", .string, optional: true, "The URL of the provider's keys."),
    Parameter("end_session_endpoint", .string, optional: true, "The URL that ends a session."), others: .any)

  /// The request of `oauth.token` (RFC 6749).
  static let tokenRequest = LuaRecord(
    "token request", "A grant and its parameters.",
    Parameter("grant_type", .string, "The grant type, such as authorization_code, password, refresh_token."),
    OAuthModule.policyParameter, Parameter("scopes", .words, optional: true, "The requested scopes."),
    Parameter("code", .secret, optional: true, "The code, for the authorization code grant."),
    Parameter("redirect_uri", .string, optional: true, "The redirect URI, for the authorization code grant."),
    Parameter("code_verifier", .secret, optional: true, "The PKCE verifier, for the authorization code grant."),
    Parameter("refresh_token", .secret, optional: true, "The refresh token, for the refresh token grant."),
    Parameter("username", .string, optional: true, "The user name, for the password grant."),
    Parameter("password", .secret, optional: true, "The password, for the password grant."),
    Parameter("device_code", .secret, optional: true, "The device code, for the device code grant."),
    others: .either([.string, .object("secret"), .number, .boolean]))

  /// The result of `oauth.token` (RFC 6749, 5.1).
  static let tokenResponse = LuaRecord(
    "token response", "The response of the token endpoint. A flow returns it.",
    Parameter("access_token", .secret, optional: true, "The access token, a secret."),
    Parameter("refresh_token", .secret, optional: true, "The refresh token, a secret."),
    Parameter("id_token", .secret, optional: true, "The ID token, a secret."),
    Parameter("token_type", .string, optional: true, "The type of the access token, such as Bearer."),
    Parameter("scope", .string, optional: true, "The granted scopes, separated by spaces."),
    Parameter("expires_in", .either([.integer, .string]), optional: true, "The lifetime in seconds, as sent."),
    Parameter("expires_at", .integer, optional: true, "The expiry time of the access token, in Unix seconds."),
    others: .any)

  /// The result of `oauth.redirect` (RFC 6749, 4.1.2).
  static let redirect = LuaRecord(
    "redirect answer", "The parameters of a redirect URL.",
    Parameter("code", .string, optional: true, "The authorization code, for oauth.token."),
    Parameter("state", .string, optional: true, "The state of the request."),
    Parameter("id_token", .object("secret"), optional: true, "A secret, from the hybrid or implicit flow."),
    Parameter("access_token", .object("secret"), optional: true, "A secret, from the implicit flow."), others: .string)

  /// `ctx.options`: the options of `accounts.sign_in` that are a flow's business.
  static let flowOptions = LuaRecord(
    "flow request", "The options of a sign-in that the flow receives.",
    [Parameter("scopes", .list(of: .string), "The requested scopes.")] + SignInOptions.keysOfFlows)
}

extension OAuthModule {
  nonisolated static let notes = """
    Functions for each step of a flow. The page [Writing a sign-in flow](WritingFlows.md) combines them. In a flow, these
    functions use the settings of the sign-in.
    """

  nonisolated static let example = """
    local oauth = require "b2c.oauth"

    local pkce = oauth.pkce()
    print(oauth.authorize_url { state = oauth.random(), nonce = oauth.random(), pkce = pkce })
    print(oauth.metadata().issuer)
    """
}
