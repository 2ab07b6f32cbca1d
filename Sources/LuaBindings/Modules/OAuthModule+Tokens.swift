import Core
import HostLoop
import JSON
import Lua
import OAuth

/// What goes to the provider's endpoints for tokens, devices and revocation.
extension ScriptHost {
  var oauthToken: HostFunction {
    .suspending(
      "oauth.token", "Asks the token endpoint. What else the table holds is sent along.",
      [Parameter("request", .record(.tokenRequest), "The grant and its parameters.")],
      returns: [.init(.record(.tokenResponse), "What the provider gave.")]
    ) { [self] arguments in
      var request = try TokenRequest(arguments)
      let context = try flowContext()
      request.policy = request.policy ?? context.policy
      let response = try await staged { try await context.client.token(request) }
      context.note(response, of: request.grantType)
      return [value(response)]
    }
  }

  var oauthDeviceCode: HostFunction {
    .suspending(
      "oauth.device_code", "Asks for a code that the user types in on another device (RFC 8628).",
      [
        .options([
          Self.policyParameter,
          Parameter(
            "scopes", .words, optional: true, "A list; those of the settings if not given."),
        ])
      ],
      returns: [.init(.record(.deviceCode), "What the user has to do.")]
    ) { [self] arguments in
      let scopes = try arguments.words(arguments["scopes"], "option 'scopes'")
      let context = try flowContext()
      let device = try await staged {
        try await context.client.deviceAuthorization(
          policy: arguments["policy"].string ?? context.policy, scopes: scopes)
      }
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

  var oauthRevoke: HostFunction {
    .suspending(
      "oauth.revoke", "Tells the provider to honor a token no longer (RFC 7009).",
      [
        Parameter("token", .secret, "The token."),
        .options([
          Parameter(
            "token_type_hint", .choice(["refresh_token", "access_token"]), optional: true, "Which kind of token it is."),
          Self.policyParameter,
        ]),
      ], returns: [.init(.boolean, "false when the provider takes no tokens back, as Azure AD B2C does not.")]
    ) { [self] arguments in
      guard let token = arguments[0].asSecret else { return [.boolean(false)] }
      let context = try flowContext()
      let isRevoked = try await staged {
        try await context.client.revoke(
          token, hint: arguments["token_type_hint"].string, policy: arguments["policy"].string ?? context.policy)
      }
      return [.boolean(isRevoked)]
    }
  }

  func value(_ response: TokenResponse) -> LuaValue {
    var fields: [(name: String, value: LuaValue)] = [
      ("access_token", .secret(response.accessToken)), ("refresh_token", .secret(response.refreshToken)),
      ("id_token", .secret(response.idToken.map { Secret($0) })),
      ("expires_at", response.expiresAt.map { .integer(Int64($0)) } ?? .nil),
    ]
    for (name, value) in response.raw.object ?? [:] where name != "expires_at" {
      fields.append((name, json.optional(value)))
    }
    return .record(fields)
  }
}
