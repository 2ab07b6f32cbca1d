import Automation
import Core
import Crypto
import HostLoop
import JOSE
import JSON
package import Lua
package import LuaKit
import OAuth
import Settings

/// `b2c.oauth`
package struct OAuthModule: LuaModule {
  let signIns: ScriptSignIns

  package init(_ signIns: ScriptSignIns) { self.signIns = signIns }

  /// The module, for the documentation and for `b2c`.
  package var module: HostModule {
    HostModule(
      "oauth", "Building blocks for sign-in flows.",
      notes: """
        Functions for each step of a flow. The page [Writing a sign-in flow](WritingFlows.md) combines them. In a flow, these
        functions use the settings of the sign-in.
        """,
      example: """
        local oauth = require "b2c.oauth"

        local pkce = oauth.pkce()
        print(oauth.authorize_url { state = oauth.random(), nonce = oauth.random(), pkce = pkce })
        print(oauth.metadata().issuer)
        """, functions)
  }

  package static let functions: [ModuleFunction<Self>] = [
    metadata, pkce, random, par, requestObject, authorizeURL, redirect, deviceCode, token, flow, native, register,
    unregister, revoke,
    verify, decode, endSessionURL,
    checkScopes, clockDifference, introspect, userinfo, exchange, onBehalfOf, backchannel, poll,
  ]

  /// A function that asks the provider. Inside a flow it uses the provider of the sign-in. The errors name their stage, which
  /// on_failed reports after the flow's Lua code.
  static func asking(
    _ name: String, _ doc: String, _ parameters: Parameter..., options: [Parameter]? = nil,
    returns results: HostFunction.Result..., example: String = "",
    _ body: @escaping @HostActor @Sendable (Self, Arguments, SignInAttempt) async throws -> [LuaValue]
  ) -> ModuleFunction<Self> {
    let parameters = parameters.with(options)
    return ModuleFunction { module in
      .suspending(name, doc, parameters, returns: results, example: example) { arguments in
        let attempt = try module.signIns.attempt()
        do {
          return try await body(module, arguments, attempt)
        } catch let error as OAuthError {
          var staged = LuaError(error)
          staged.details["stage"] = error.stage.rawValue
          throw staged
        }
      }
    }
  }

  private static let metadata = asking(
    "oauth.metadata", "The provider's metadata document.", PolicyOptions.keys[0],
    returns: .init(.record(.metadata), "The members of the document, with their original names.")
  ) { module, arguments, attempt in
    let document = try await attempt.provider.metadata(policy: arguments[0].string ?? attempt.policy)
    return [module.signIns.context.json.value(document.json)]
  }

  private static let pkce = function(
    "oauth.pkce", "A code verifier and its challenge (RFC 7636).",
    .optional("method", .choice(["S256", "plain"]), "The method; S256 if not given."),
    returns: .init(.record(.pkce), "The pair for oauth.authorize_url; oauth.token takes its verifier.")
  ) { _, arguments in
    let pkce = PKCE.generate(arguments[0].string.flatMap(PKCE.Method.init) ?? .s256)
    return [
      .record([
        ("verifier", .string(pkce.verifier)), ("challenge", .string(pkce.challenge)),
        ("method", .string(pkce.method.rawValue)),
      ])
    ]
  }

  private static let random = function(
    "oauth.random", "A random value, for state and nonce.", returns: .init(.string, "The value.")
  ) { _, _ in [.string(SecureRandom.token())] }

  private static let authorizeURL = asking(
    "oauth.authorize_url", "Builds the authorization URL. Parameters in the URL of the endpoint stay.",
    options: AuthorizeOptions.keys, returns: .init(.string, "The URL.")
  ) { module, arguments, attempt in
    let request = try await module.authorizationRequest(arguments, attempt)
    let url = try await AuthorizationEndpoint(attempt.provider).url(request)
    // A pushed request was remembered when it was pushed.
    if request.requestURI == nil { attempt.authorization = request }
    return [.string(url)]
  }

  private static let redirect = asking(
    "oauth.redirect",
    "Reads the redirect URL. If the URL contains an error of the provider, the function raises this error.",
    Parameter("url", .string, "The redirect URL, as browser.open returns it."),
    options: RedirectOptions.keys, returns: .init(.record(.redirect), "The parameters of the query or the fragment.")
  ) { _, arguments, attempt in
    let options = try RedirectOptions(arguments)
    let response = try await AuthorizationEndpoint(attempt.provider).readRedirect(
      arguments.string(0), expectedRedirectURI: try options.redirectURI ?? attempt.redirectURI(),
      state: options.state, policy: options.policy ?? attempt.policy,
      isSigned: options.isSigned ?? attempt.expectsSignedResponse)
    return [
      .record(
        response.parameters.map { name, value in
          (name, ["id_token", "access_token"].contains(name) ? .secret(Secret(given: value)) : .string(value))
        })
    ]
  }

  private struct RedirectOptions: LuaOptions {
    var redirectURI: String?
    var state: String?
    var policy: String?
    var isSigned: Bool?

    static let fields: [Field] = [
      .init(
        "redirect_uri", \.redirectURI,
        "The expected redirect URI. If not given: in a flow, the redirect URI of the sign-in; else the setting."),
      .init("state", \.state, "The expected state."), .policy(\.policy),
      .init(
        "signed", \.isSigned,
        "true: refuse a response that is not in a JWT (JARM). If not given: as the flow's last authorization URL asked."
      ),
    ]
  }

  private static let token = asking(
    "oauth.token", "Sends a token request. Other fields of the table are sent as parameters.",
    Parameter("request", .record(.tokenRequest), "The grant and its parameters."),
    returns: .init(.record(.tokenResponse), "The response of the provider.")
  ) { module, arguments, attempt in
    let request = try await module.tokenRequest(arguments, attempt)
    return [try await module.answer(try await attempt.token(request))]
  }

  /// The request of `oauth.token`, after the variation of the run and the hooks of the flow that runs.
  func tokenRequest(_ arguments: Arguments, _ attempt: SignInAttempt) async throws -> TokenRequest {
    var options = signIns.variation.applied(toToken: arguments[0].table, signIns.context.state)
    if !FlowChanges.current.isEmpty, let given = options {
      options = try await FlowChanges.apply(.beforeToken, to: given, signIns)
    }
    var request = try TokenRequest(options, arguments)
    request.binding.proofKey = try await (options?["dpop"] ?? .nil).proofKey(attempt, arguments.function.name)
    request.binding.resources = try arguments.resources(options?["resource"] ?? .nil)
    request.details = try arguments.details(options?["authorization_details"] ?? .nil, signIns.context.json)
    if ["authorization_code", "urn:ietf:params:oauth:grant-type:device_code"].contains(request.grantType) {
      request.authorizedDetails = attempt.authorization?.details
    }
    return request
  }

  /// A token response for a script, after the hooks of the flow that runs.
  func answer(_ response: TokenSet) async throws -> LuaValue {
    for warning in response.warnings { signIns.session.console.log(.warn, "oauth.token: \(warning)") }
    var fields: [(name: String, value: LuaValue)] = [
      ("access_token", .secret(response.accessToken, from: response)),
      ("refresh_token", .secret(response.refreshToken, from: response)),
      ("id_token", .secret(response.idToken, from: response)),
      ("expires_at", response.expiresAt.map { .integer(Int64($0)) } ?? .nil),
    ]
    for (name, value) in response.others.object ?? [:] where name != "expires_at" {
      fields.append((name, signIns.context.json.optional(value)))
    }
    if let key = response.binding.proofKey { fields.append(("dpop_key", .object(LuaKey(key.key)))) }
    guard !FlowChanges.current.isEmpty else { return .record(fields) }
    return .table(try await FlowChanges.apply(.afterToken, to: signIns.context.state.makeTable(fields), signIns))
  }

  private static let revoke = asking(
    "oauth.revoke", "Revokes a token at the provider (RFC 7009).", Parameter("token", .secret, "The token."),
    options: RevokeOptions.keys,
    returns: .init(.boolean, "False if the provider cannot revoke tokens; Azure AD B2C cannot.")
  ) { _, arguments, attempt in
    guard let token = arguments[0].asSecret else { return [.boolean(false)] }
    let options = try RevokeOptions(arguments)
    return [
      .boolean(
        try await RevocationEndpoint(attempt.provider).revoke(
          token, hint: options.hint, policy: options.policy ?? attempt.policy))
    ]
  }

  private struct RevokeOptions: LuaOptions {
    var hint: String?
    var policy: String?

    static let fields: [Field] = [
      .init("token_type_hint", \.hint, .choice(["refresh_token", "access_token"]), "The kind of the token."),
      .policy(\.policy),
    ]
  }

  private static let verify = asking(
    "oauth.verify",
    "Validates an ID token, or another signed token for this client: signature, iss, aud, exp, nbf, nonce.",
    Parameter("id_token", .secret, "The token."),
    options: VerifyOptions.keys, returns: .init(.record(.claims), "The claims.")
  ) { module, arguments, attempt in
    let options = try VerifyOptions(arguments)
    let claims = try await IDTokenValidator(attempt.provider).validate(
      idToken: arguments[0].asSecret?.reveal() ?? "", policy: options.policy ?? attempt.policy, nonce: options.nonce,
      maxAge: options.maxAge, accessToken: options.accessToken, code: options.code, use: options.use ?? .idToken)
    return [module.signIns.context.json.value(claims)]
  }

  private struct VerifyOptions: LuaOptions {
    var nonce: String?
    var maxAge: Int?
    var accessToken: Secret?
    var code: String?
    var use: TokenUse?
    var policy: String?

    static let fields: [Field] = [
      .init("nonce", \.nonce, "The nonce of the authorization URL."),
      .init("max_age", \.maxAge, "The maximum seconds since the user entered a password."),
      .init("access_token", \.accessToken, "The token of the same response, for at_hash."),
      .init("code", \.code, "The code of the same response, for c_hash."),
      .choice(
        "kind", \.use,
        "The kind of the token, which determines the required claims. id_token (if not given): iss, sub, aud, "
          + "exp, iat. logout_token: jti, events, and sub or sid. jarm (an authorization response) and jwt (any other token): "
          + "iss, aud, exp. The kinds introspection and userinfo are for signed answers of these endpoints."),
      .policy(\.policy),
    ]
  }

  private static let decode = function(
    "oauth.decode", "Decodes a JWT without validating it.", Parameter("jwt", .secret, "The token."),
    returns: .init(.map(of: .any), "The header."), .init(.record(.claims), "The claims."),
    example: "local header, claims = b2c.oauth.decode(b2c.tenant.sign_in():token())\nprint(header.alg, claims.iss)"
  ) { module, arguments in
    let token = try JWT(decoding: arguments[0].asSecret?.reveal() ?? "")
    return [module.signIns.context.json.value(token.header), module.signIns.context.json.value(token.claims)]
  }

  private static let endSessionURL = asking(
    "oauth.end_session_url", "Builds the URL that ends the session at the provider.",
    options: EndSessionOptions.keys, returns: .init(.string, "The URL.")
  ) { _, arguments, attempt in
    let options = try EndSessionOptions(arguments)
    let url = try await EndSessionEndpoint(attempt.provider).url(
      policy: options.policy ?? attempt.policy, idTokenHint: options.idTokenHint?.reveal(),
      postLogoutRedirectURI: options.redirectURI, state: options.state)
    return [.string(url)]
  }

  private struct EndSessionOptions: LuaOptions {
    var policy: String?
    var idTokenHint: Secret?
    var redirectURI: String?
    var state: String?

    static let fields: [Field] = [
      .policy(\.policy), .init("id_token_hint", \.idTokenHint, "The ID token of the session."),
      .init(
        "post_logout_redirect_uri", \.redirectURI, "The URL to which the browser returns after the sign-out."),
      .init("state", \.state, "A value that the provider returns in the redirect."),
    ]
  }

  private static let checkScopes = function(
    "oauth.check_scopes", "Raises no_access_token_scopes if Azure AD B2C issues no access token for the scopes.",
    .optional("scopes", .words, "The requested scopes; the scopes of the settings if not given.")
  ) { module, arguments in
    let settings = try module.signIns.attempt().settings
    try AccessTokenScopes(settings).check(try arguments.words(arguments[0], "argument 1") ?? settings.scopes)
    return []
  }

  private static let clockDifference = function(
    "oauth.clock_difference", "The difference between this machine's clock and the clock of the provider.",
    returns: .init(
      .number, optional: true, "Seconds, negative if this machine's clock is slow; nil before the first response.")
  ) { module, _ in [try module.signIns.attempt().provider.clockDifference.map { .number($0) } ?? .nil] }
}
