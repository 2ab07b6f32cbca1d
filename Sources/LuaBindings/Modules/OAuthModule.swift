import Core
import HostLoop
import JOSE
import JSON
import Lua
import OAuth
import Settings

extension ScriptHost {
  var oauthModule: HostModule {
    HostModule(
      "oauth", "Building blocks for sign-in flows.", notes: Self.oauthNotes, example: Self.oauthExample,
      [
        oauthMetadata, oauthPKCE, oauthRandom, oauthAuthorizeURL, oauthRedirect, oauthDeviceCode, oauthToken,
        oauthRevoke, oauthVerify, oauthDecode, oauthEndSessionURL, oauthCheckScopes, oauthClockDifference,
      ])
  }

  nonisolated static let policyParameter = Parameter(
    "policy", .string, optional: true,
    "A policy, or its name in settings.policies; the flow's own, or signIn, if not given.")

  private var oauthMetadata: HostFunction {
    .suspending(
      "oauth.metadata", "The provider's metadata document.", [Self.policyParameter],
      returns: [.init(.record(.metadata), "Its members, as the provider names them.")]
    ) { [self] arguments in
      let context = try flowContext()
      let policy = arguments[0].string ?? context.policy
      return [json.value(try await staged { try await context.client.metadata(policy: policy) }.json)]
    }
  }

  private var oauthPKCE: HostFunction {
    HostFunction(
      "oauth.pkce", "A code verifier and its challenge (RFC 7636).",
      [Parameter("method", .choice(["S256", "plain"]), optional: true, "S256 if not given.")],
      returns: [.init(.record(.pkce), "For oauth.authorize_url and, its verifier, for oauth.token.")]
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

  private var oauthRandom: HostFunction {
    HostFunction(
      "oauth.random", "A value nobody can guess, for state and nonce.", returns: [.init(.string, "The value.")]
    ) {
      _ in [.string(SecureRandom.token())]
    }
  }

  private var oauthAuthorizeURL: HostFunction {
    .suspending(
      "oauth.authorize_url", "The URL to send the user to. The endpoint's own parameters stay.",
      [.options(AuthorizationRequest.keys)], returns: [.init(.string, "The URL.")]
    ) { [self] arguments in
      let context = try flowContext()
      var request = try AuthorizationRequest(arguments)
      request.policy = request.policy ?? context.policy
      if request.redirectURI == nil { request.redirectURI = try context.redirectURI() }
      let url = try await staged { try await context.client.authorizationURL(request) }
      context.nonce = request.nonce
      context.maxAge = request.maxAge
      return [.string(url)]
    }
  }

  private var oauthRedirect: HostFunction {
    .suspending(
      "oauth.redirect", "Reads the redirect URL; an error in it is raised.",
      [
        Parameter("url", .string, "Where the user ended, as browser.open returns it."),
        .options([
          Parameter("redirect_uri", .string, optional: true, "Where it must lead; the flow's own if not given."),
          Parameter("state", .string, optional: true, "What it must bring back."),
          Self.policyParameter,
        ]),
      ], returns: [.init(.record(.redirect), "Its parameters, from the query or the fragment.")]
    ) { [self] arguments in
      let context = try flowContext()
      let expected = try arguments["redirect_uri"].string ?? context.redirectURI()
      let response = try await staged {
        try await context.client.readRedirect(
          arguments.string(0), expectedRedirectURI: expected, state: arguments["state"].string,
          policy: arguments["policy"].string ?? context.policy)
      }
      return [
        .record(
          response.parameters.map { name, value in
            (name, ["id_token", "access_token"].contains(name) ? .secret(Secret(given: value)) : .string(value))
          })
      ]
    }
  }

  private var oauthVerify: HostFunction {
    .suspending(
      "oauth.verify",
      "Validates an ID token, or another signed token for this client: signature, iss, aud, exp, nbf, nonce.",
      [
        Parameter("id_token", .secret, "The token."),
        .options([
          Parameter("nonce", .string, optional: true, "What the authorization URL had."),
          Parameter("max_age", .integer, optional: true, "Seconds since the user last typed a password."),
          Parameter("access_token", .secret, optional: true, "What came with it, for at_hash."),
          Parameter("code", .string, optional: true, "What came with it, for c_hash."),
          Parameter(
            "kind", .choice(TokenUse.allCases.map(\.rawValue)), optional: true,
            "id_token if not given: iss, sub, aud, exp and iat must be there. logout_token: jti and events, and sub or sid. "
              + "jarm, an authorization response, and jwt, any other: iss, aud and exp."),
          Self.policyParameter,
        ]),
      ], returns: [.init(.record(.claims), "The claims.")]
    ) { [self] arguments in
      let context = try flowContext()
      let claims = try await staged {
        try await context.client.validate(
          idToken: arguments[0].asSecret?.reveal() ?? "", policy: arguments["policy"].string ?? context.policy,
          nonce: arguments["nonce"].string, maxAge: arguments["max_age"].integer.map { Int($0) },
          accessToken: arguments["access_token"].asSecret, code: arguments["code"].string,
          use: arguments["kind"].string.flatMap(TokenUse.init) ?? .idToken)
      }
      return [json.value(claims.json)]
    }
  }

  private var oauthDecode: HostFunction {
    HostFunction(
      "oauth.decode", "What a JWT says, without checking anything.", [Parameter("jwt", .secret, "The token.")],
      returns: [.init(.map(of: .any), "The header."), .init(.record(.claims), "The claims.")],
      example: "local header, claims = b2c.oauth.decode(b2c.tenant.sign_in():token())\nprint(header.alg, claims.iss)"
    ) { [self] arguments in
      let token = try JWT(decoding: arguments[0].asSecret?.reveal() ?? "")
      return [json.value(token.header), json.value(token.claims)]
    }
  }

  private var oauthEndSessionURL: HostFunction {
    .suspending(
      "oauth.end_session_url", "Where to send the user to end the session at the provider.",
      [
        .options([
          Self.policyParameter, Parameter("id_token_hint", .secret, optional: true, "Whose session."),
          Parameter("post_logout_redirect_uri", .string, optional: true, "Where to go afterwards."),
          Parameter("state", .string, optional: true, "Comes back with that redirect."),
        ])
      ], returns: [.init(.string, "The URL.")]
    ) { [self] arguments in
      let context = try flowContext()
      let url = try await staged {
        try await context.client.endSessionURL(
          policy: arguments["policy"].string ?? context.policy,
          idTokenHint: arguments["id_token_hint"].asSecret?.reveal(),
          postLogoutRedirectURI: arguments["post_logout_redirect_uri"].string, state: arguments["state"].string)
      }
      return [.string(url)]
    }
  }

  // MARK: Parts of these

  /// Adds to an error where in a sign-in it arose, so that `on_failed` can say so after the flow's Lua code.
  func staged<T>(_ body: () async throws -> T) async throws -> T {
    do { return try await body() } catch let error as OAuthError { throw LuaError(staged: error) }
  }
}

extension LuaError {
  fileprivate init(staged error: OAuthError) {
    self.init(error)
    details["stage"] = error.stage.rawValue
  }
}
