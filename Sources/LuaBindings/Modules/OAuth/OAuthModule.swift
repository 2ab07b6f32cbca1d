import Automation
import Core
import HostLoop
import JOSE
import JSON
import Lua
import OAuth
import Settings

/// `b2c.oauth`
struct OAuthModule: LuaModule {
  unowned let host: ScriptHost

  var module: HostModule {
    HostModule(
      "oauth", "Building blocks for sign-in flows.", notes: Self.notes, example: Self.example,
      [
        metadata, pkce, random, authorizeURL, redirect, deviceCode, token, revoke, verify, decode, endSessionURL,
        checkScopes, clockDifference,
      ])
  }

  nonisolated static let policyParameter = Parameter(
    "policy", .string, optional: true,
    "A policy, or its name in settings.policies; the flow's own, or signIn, if not given.")

  /// A function that asks the provider. Inside a flow it uses the client of the sign-in, and its policy if none is given.
  /// The errors name their stage, which on_failed reports after the flow's Lua code.
  private func asking(
    _ name: String, _ doc: String, _ parameters: [Parameter], returns results: [HostFunction.Result],
    _ body: @escaping @HostActor @Sendable (Arguments, FlowContext, _ policy: String?) async throws -> [LuaValue]
  ) -> HostFunction {
    .suspending(name, doc, parameters, returns: results) { [host] arguments in
      let context = try host.automation.flowContext()
      do {
        return try await body(arguments, context, arguments["policy"].string ?? context.policy)
      } catch let error as OAuthError {
        var staged = LuaError(error)
        staged.details["stage"] = error.stage.rawValue
        throw staged
      }
    }
  }

  private var metadata: HostFunction {
    asking(
      "oauth.metadata", "The provider's metadata document.", [Self.policyParameter],
      returns: [.init(.record(.metadata), "The members of the document, with the names that the provider uses.")]
    ) { [host] arguments, context, policy in
      [host.json.value(try await context.client.metadata(policy: arguments[0].string ?? policy).json)]
    }
  }

  private var pkce: HostFunction {
    HostFunction(
      "oauth.pkce", "A code verifier and its challenge (RFC 7636).",
      [Parameter("method", .choice(["S256", "plain"]), optional: true, "S256 if not given.")],
      returns: [.init(.record(.pkce), "The pair for oauth.authorize_url; oauth.token takes its verifier.")]
    ) { arguments in
      let pkce = PKCE.generate(arguments[0].string.flatMap(PKCE.Method.init) ?? .s256)
      return [
        .record([
          ("verifier", .string(pkce.verifier)), ("challenge", .string(pkce.challenge)),
          ("method", .string(pkce.method.rawValue)),
        ])
      ]
    }
  }

  private var random: HostFunction {
    HostFunction(
      "oauth.random", "A random value, for state and nonce.", returns: [.init(.string, "The value.")]
    ) { _ in [.string(SecureRandom.token())] }
  }

  private var authorizeURL: HostFunction {
    asking(
      "oauth.authorize_url", "Builds the authorization URL. The endpoint's own parameters stay.",
      [.options(AuthorizationRequest.keys)], returns: [.init(.string, "The URL.")]
    ) { arguments, context, policy in
      var request = try AuthorizationRequest(arguments)
      request.policy = policy
      if request.redirectURI == nil { request.redirectURI = try context.redirectURI() }
      let url = try await context.client.authorizationURL(request)
      context.nonce = request.nonce
      context.maxAge = request.maxAge
      return [.string(url)]
    }
  }

  private var redirect: HostFunction {
    asking(
      "oauth.redirect", "Reads the redirect URL; an error in it is raised.",
      [
        Parameter("url", .string, "The redirect URL, as browser.open returns it."),
        .options([
          Parameter("redirect_uri", .string, optional: true, "The expected redirect URI; the flow's own if not given."),
          Parameter("state", .string, optional: true, "The expected state."), Self.policyParameter,
        ]),
      ], returns: [.init(.record(.redirect), "The parameters of its query or fragment.")]
    ) { arguments, context, policy in
      let response = try await context.client.readRedirect(
        arguments.string(0), expectedRedirectURI: try arguments["redirect_uri"].string ?? context.redirectURI(),
        state: arguments["state"].string, policy: policy)
      return [
        .record(
          response.parameters.map { name, value in
            (name, ["id_token", "access_token"].contains(name) ? .secret(Secret(given: value)) : .string(value))
          })
      ]
    }
  }

  private var deviceCode: HostFunction {
    asking(
      "oauth.device_code", "Requests a code that the user enters on another device (RFC 8628).",
      [
        .options([
          Self.policyParameter,
          Parameter("scopes", .words, optional: true, "A list; those of the settings if not given."),
        ])
      ], returns: [.init(.record(.deviceCode), "The code and the instructions for the user.")]
    ) { arguments, context, policy in
      let device = try await context.client.deviceAuthorization(
        policy: policy, scopes: try arguments.words(arguments["scopes"], "option 'scopes'"))
      return [
        .record([
          ("device_code", .secret(device.deviceCode)), ("user_code", .string(device.userCode)),
          ("verification_uri", .string(device.verificationURI)),
          ("verification_uri_complete", .string(device.verificationURIComplete)),
          ("expires_in", .integer(device.expiresIn)), ("interval", .integer(device.interval)),
          ("message", .string(device.message)),
        ])
      ]
    }
  }

  private var token: HostFunction {
    asking(
      "oauth.token", "Sends a token request. Other fields of the table are sent as parameters.",
      [Parameter("request", .record(.tokenRequest), "The grant and its parameters.")],
      returns: [.init(.record(.tokenResponse), "The response of the provider.")]
    ) { [host] arguments, context, _ in
      let response = try await context.token(try TokenRequest(arguments))
      var fields: [(name: String, value: LuaValue)] = [
        ("access_token", .secret(response.accessToken)), ("refresh_token", .secret(response.refreshToken)),
        ("id_token", .secret(response.idToken)), ("expires_at", response.expiresAt.map { .integer(Int64($0)) } ?? .nil),
      ]
      for (name, value) in response.others.object ?? [:] where name != "expires_at" {
        fields.append((name, host.json.optional(value)))
      }
      return [.record(fields)]
    }
  }

  private var revoke: HostFunction {
    asking(
      "oauth.revoke", "Revokes a token at the provider (RFC 7009).",
      [
        Parameter("token", .secret, "The token."),
        .options([
          Parameter(
            "token_type_hint", .choice(["refresh_token", "access_token"]), optional: true, "The kind of the token."),
          Self.policyParameter,
        ]),
      ], returns: [.init(.boolean, "False if the provider cannot revoke tokens; Azure AD B2C cannot.")]
    ) { arguments, context, policy in
      guard let token = arguments[0].asSecret else { return [.boolean(false)] }
      let hint = arguments["token_type_hint"].string
      return [.boolean(try await context.client.revoke(token, hint: hint, policy: policy))]
    }
  }

  private var verify: HostFunction {
    asking(
      "oauth.verify",
      "Validates an ID token, or another signed token for this client: signature, iss, aud, exp, nbf, nonce.",
      [
        Parameter("id_token", .secret, "The token."),
        .options([
          Parameter("nonce", .string, optional: true, "The nonce of the authorization URL."),
          Parameter("max_age", .integer, optional: true, "The maximum seconds since the user entered a password."),
          Parameter("access_token", .secret, optional: true, "The token of the same response, for at_hash."),
          Parameter("code", .string, optional: true, "The code of the same response, for c_hash."),
          Parameter(
            "kind", .choice(TokenUse.allCases.map(\.rawValue)), optional: true,
            "id_token if not given: iss, sub, aud, exp and iat must be there. logout_token: jti and events, and sub or sid. "
              + "jarm, an authorization response, and jwt, any other: iss, aud and exp."), Self.policyParameter,
        ]),
      ], returns: [.init(.record(.claims), "The claims.")]
    ) { [host] arguments, context, policy in
      let claims = try await context.client.validate(
        idToken: arguments[0].asSecret?.reveal() ?? "", policy: policy, nonce: arguments["nonce"].string,
        maxAge: arguments["max_age"].integer.map { Int($0) }, accessToken: arguments["access_token"].asSecret,
        code: arguments["code"].string, use: arguments["kind"].string.flatMap(TokenUse.init) ?? .idToken)
      return [host.json.value(claims)]
    }
  }

  private var decode: HostFunction {
    HostFunction(
      "oauth.decode", "Decodes a JWT without validating it.", [Parameter("jwt", .secret, "The token.")],
      returns: [.init(.map(of: .any), "The header."), .init(.record(.claims), "The claims.")],
      example: "local header, claims = b2c.oauth.decode(b2c.tenant.sign_in():token())\nprint(header.alg, claims.iss)"
    ) { [host] arguments in
      let token = try JWT(decoding: arguments[0].asSecret?.reveal() ?? "")
      return [host.json.value(token.header), host.json.value(token.claims)]
    }
  }

  private var endSessionURL: HostFunction {
    asking(
      "oauth.end_session_url", "Builds the URL that ends the session at the provider.",
      [
        .options([
          Self.policyParameter, Parameter("id_token_hint", .secret, optional: true, "The ID token of the session."),
          Parameter("post_logout_redirect_uri", .string, optional: true, "The URL after the sign-out."),
          Parameter("state", .string, optional: true, "A value that the redirect returns."),
        ])
      ], returns: [.init(.string, "The URL.")]
    ) { arguments, context, policy in
      let url = try await context.client.endSessionURL(
        policy: policy, idTokenHint: arguments["id_token_hint"].asSecret?.reveal(),
        postLogoutRedirectURI: arguments["post_logout_redirect_uri"].string, state: arguments["state"].string)
      return [.string(url)]
    }
  }

  private var checkScopes: HostFunction {
    HostFunction(
      "oauth.check_scopes", "Raises no_access_token_scopes if Azure AD B2C issues no access token for the scopes.",
      [Parameter("scopes", .words, optional: true, "A list; those of the settings if not given.")]
    ) { [host] arguments in
      let client = try host.automation.flowContext().client
      try client.checkScopes(try arguments.words(arguments[0], "argument 1") ?? client.settings.scopes)
      return []
    }
  }

  private var clockDifference: HostFunction {
    HostFunction(
      "oauth.clock_difference", "The difference between this machine's clock and the clock of the provider.",
      returns: [.init(.number, optional: true, "Seconds, below 0 if this machine is behind; nil before a response.")]
    ) { [host] _ in [try host.automation.flowContext().client.clockDifference.map { .number($0) } ?? .nil] }
  }
}
