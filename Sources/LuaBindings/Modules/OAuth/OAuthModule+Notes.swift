import Lua

extension LuaType {
  /// The value of a request's parameter or field; a list gives its name more than once.
  static let requestValue = LuaType.either([.string, .object("secret"), .number, .boolean, .list(of: .string)])
}

extension LuaRecord {
  /// The claims of an ID token, or whatever else a JWT says (RFC 7519, 4.1; OpenID Connect Core, 2).
  static let claims = LuaRecord(
    "claims table", "What a token says. Which claims there are is up to the policy.",
    [
      Parameter("iss", .string, optional: true, "Who issued it."),
      Parameter("sub", .string, optional: true, "Who it is about."),
      Parameter("aud", .either([.string, .list(of: .string)]), optional: true, "Whom it is for."),
      Parameter("exp", .integer, optional: true, "Until when, in Unix seconds."),
      Parameter("iat", .integer, optional: true, "Since when, in Unix seconds."),
      Parameter("name", .string, optional: true, "The user's name."),
    ], others: .any)

  /// The result of `oauth.pkce` (RFC 7636).
  static let pkce = LuaRecord(
    "PKCE pair", "A code verifier and its challenge.",
    [
      Parameter("verifier", .string, "For oauth.token, as code_verifier."),
      Parameter("challenge", .string, optional: true, "What the authorization URL has of it."),
      Parameter("method", .choice(["S256", "plain"]), optional: true, "How the challenge is made of the verifier."),
    ])

  /// The provider's metadata document (OpenID Connect Discovery 1.0, 3).
  static let metadata = LuaRecord(
    "metadata", "What a provider says of itself.",
    [
      Parameter("issuer", .string, "The issuer of its tokens."),
      Parameter("authorization_endpoint", .string, optional: true, "Where users sign in."),
      Parameter("token_endpoint", .string, optional: true, "Where tokens are given."),
      Parameter("jwks_uri", .string, optional: true, "Where its keys are."),
      Parameter("end_session_endpoint", .string, optional: true, "Where a session is ended."),
    ], others: .any)

  /// The request of `oauth.token` (RFC 6749).
  static let tokenRequest = LuaRecord(
    "token request", "A grant, and the parameters that go with it.",
    [
      Parameter("grant_type", .string, "Such as authorization_code, password, refresh_token."),
      OAuthModule.policyParameter, Parameter("scopes", .words, optional: true, "What to ask for."),
      Parameter("code", .secret, optional: true, "Of the authorization code grant."),
      Parameter("redirect_uri", .string, optional: true, "Of the authorization code grant."),
      Parameter("code_verifier", .secret, optional: true, "Of the authorization code grant."),
      Parameter("refresh_token", .secret, optional: true, "Of the refresh token grant."),
      Parameter("username", .string, optional: true, "Of the password grant."),
      Parameter("password", .secret, optional: true, "Of the password grant."),
      Parameter("device_code", .secret, optional: true, "Of the device code grant."),
    ], others: .either([.string, .object("secret"), .number, .boolean]))

  /// The result of `oauth.token` (RFC 6749, 5.1).
  static let tokenResponse = LuaRecord(
    "token response", "What the token endpoint answered, and what a flow returns.",
    [
      Parameter("access_token", .secret, optional: true, "A secret."),
      Parameter("refresh_token", .secret, optional: true, "A secret."),
      Parameter("id_token", .secret, optional: true, "A secret."),
      Parameter("token_type", .string, optional: true, "Such as Bearer."),
      Parameter("scope", .string, optional: true, "What was granted, with spaces between."),
      Parameter("expires_in", .either([.integer, .string]), optional: true, "Seconds, as the provider has it."),
      Parameter("expires_at", .integer, optional: true, "When the access token expires, in Unix seconds."),
    ], others: .any)

  /// The result of `oauth.device_code` (RFC 8628, 3.2).
  static let deviceCode = LuaRecord(
    "device code", "A code to be typed in on another device, and where.",
    [
      Parameter("device_code", .object("secret"), "For oauth.token."),
      Parameter("user_code", .string, "What the user types in."), Parameter("verification_uri", .string, "Where."),
      Parameter("verification_uri_complete", .string, optional: true, "The same with the code in it."),
      Parameter("expires_in", .integer, "Seconds until it is of no use."),
      Parameter("interval", .integer, "Seconds between two questions for the token."),
      Parameter("message", .string, optional: true, "What to tell the user."),
    ])

  /// The result of `oauth.redirect` (RFC 6749, 4.1.2).
  static let redirect = LuaRecord(
    "redirect answer", "What a redirect URL brought back.",
    [
      Parameter("code", .string, optional: true, "For oauth.token."),
      Parameter("state", .string, optional: true, "As it was sent."),
      Parameter("id_token", .object("secret"), optional: true, "A secret, of the hybrid and implicit flows."),
      Parameter("access_token", .object("secret"), optional: true, "A secret, of the implicit flow."),
    ], others: .string)

  /// `ctx.options`: the options of `accounts.sign_in` that are a flow's business.
  static let flowOptions = LuaRecord(
    "flow request", "What a sign-in was asked for.",
    [Parameter("scopes", .list(of: .string), "What to ask for.")] + SignInOptions.keysOfFlows)
}

extension OAuthModule {
  nonisolated static let notes = """
    What flows are made of; [WritingFlows](WritingFlows.md) puts it together. Inside a flow these functions use the settings of that
    sign-in.
    """

  nonisolated static let example = """
    local oauth = require "b2c.oauth"

    local pkce = oauth.pkce()
    print(oauth.authorize_url { state = oauth.random(), nonce = oauth.random(), pkce = pkce })
    print(oauth.metadata().issuer)
    """
}
