import Accounts
import Automation
import Core
import Glibc
import HostLoop
import JSON
import Lua
import OAuth
import Settings

/// One sign-in's flow, as its validation needs to know it.
@HostActor
private final class Attempt {
  var context: FlowContext?
  /// By `HostLoop.uptime`.
  var start = 0.0
}

extension ScriptHost {
  var signInFunction: HostFunction {
    .suspending(
      "accounts.sign_in", "Signs somebody in, by a flow and an agent.", [.options(SignInRequest.keys)],
      returns: [.init(.object("account"), "The account.")],
      example: """
        local alice = b2c.accounts.sign_in { agent = "headless", username = "alice", password = "Wonderland-1" }
        print(alice.name, alice.policy, alice:token())
        """
    ) { [self] arguments in [.object(try await signIn(arguments))] }
  }

  /// Signs somebody in.
  /// - Parameter arguments: the options of `accounts.sign_in`.
  func signIn(_ arguments: Arguments) async throws -> LuaAccount {
    let manager = try accounts()
    let attempt = Attempt()
    var steps = SignInSteps(
      run: { [self] options, _ in
        attempt.start = HostLoop.uptime
        return try await runFlow(options, attempt)
      },
      validate: { [self] grant, options in try await validate(grant, options, attempt) },
      stage: { Self.stage($0) }, clockDifference: { attempt.context?.client.clockDifference })
    steps.ended = { [self] options, number, result, stage in
      emitSignIn(options, number, result, stage, since: attempt.start)
    }
    let account = try await manager.signIn(try await signInOptions(arguments), steps)
    signedIn.insert(account.id)
    return try luaAccount(account)
  }

  private func runFlow(_ options: SignInOptions, _ attempt: Attempt) async throws -> TokenGrant {
    guard let request = options.payload as? SignInRequest else { throw CancellationError() }
    let client = clients.client(for: request.settings)
    let context = FlowContext(
      settings: request.settings, client: client, policy: options.policy, agent: request.agent)
    attempt.context = context
    defer { context.close() }
    let named: (function: LuaFunction, isStock: Bool)? =
      if let name = request.flowName { try await flow(named: name) } else { nil }
    let isStock = named?.isStock == true
    if isStock, request.flowName != "client_credentials", request.options["access_token"]?.boolean != false {
      try client.checkScopes(options.scopes)
    }
    guard let flow = named?.function ?? request.options["flow"]?.function else { throw CancellationError() }
    let results: [LuaValue]
    do {
      results = try await FlowContext.$current.withValue(context) {
        try await flow.call([.object(LuaFlowContext(context, options, request, json))])
      }
    } catch var error as LuaError where error.hint == nil && error.code != "script_error" {
      let meant = options.policy.flatMap(request.settings.meantPolicy)
      guard isStock || meant != nil else { throw error }
      error.hint = meant.map { "the settings have no policy \(options.policy ?? ""); did you mean \($0)?" }
      if isStock { error.location = nil }
      error.value = nil
      throw error
    } catch var error as LuaError where isStock && error.code != "script_error" {
      // What its reader can do something about is the call of sign_in, not a line of ours.
      error.location = nil
      error.value = nil
      throw error
    }
    let result = results.first ?? .nil
    guard let table = result.table else {
      let got = result.isNil ? "nothing" : "a \(result.typeName)"
      throw LuaError(
        code: "invalid_flow", message: "the flow returned \(got), expected the token response of oauth.token",
        hint: "end the flow with: return oauth.token { … }")
    }
    return grant(of: table, context)
  }

  /// The token response of a flow: what `oauth.token` returned, or a table like it.
  private func grant(of table: LuaTable, _ context: FlowContext) -> TokenGrant {
    let accessToken = table["access_token"].asSecret
    let refreshToken = table["refresh_token"].asSecret
    let idToken = table["id_token"].asSecret
    return TokenGrant(
      accessToken: accessToken, refreshToken: refreshToken, idToken: idToken,
      tokenType: table["token_type"].string ?? "Bearer",
      expiresIn: table["expires_in"].integer ?? table["expires_in"].string.flatMap { Int64($0) }
        ?? table["expires_at"].integer.map { max($0, 0) - Int64(time(nil)) },
      scopes: table["scope"].string?.split(separator: " ").map(String.init),
      grantType: context.grantType(of: accessToken, refreshToken, idToken) ?? "authorization_code")
  }

  /// Whatever the flow did, there is no account of a user without a valid ID token, which answers the flow's own request.
  /// Client credentials are the application's own: there is no user, and no ID token.
  private func validate(_ grant: TokenGrant, _ options: SignInOptions, _ attempt: Attempt) async throws -> JSON {
    guard let context = attempt.context else { throw CancellationError() }
    if let idToken = grant.idToken {
      return try await context.client.validate(
        idToken: idToken.reveal(), policy: options.policy, nonce: context.nonce, maxAge: context.maxAge,
        accessToken: grant.accessToken
      ).json
    }
    guard grant.grantType == "client_credentials" else {
      throw LuaError(
        code: "missing_id_token", message: "the sign-in brought no ID token, without which nobody knows who signed in",
        hint: "ask for the scope openid")
    }
    let clientID = try context.settings.clientID
    let issuer = try await context.client.metadata(policy: options.policy).issuer
    return ["iss": .string(issuer), "sub": .string(clientID), "name": .string(clientID)]
  }

  private static func stage(_ error: any Error) -> SignInFailure.Stage {
    switch (error as? LuaError)?.details["stage"] ?? (error as? OAuthError)?.stage.rawValue {
    case "token", "validation": .token
    case "refresh": .refresh
    default: .authorize
    }
  }
}
