import Automation
import Core
import HostLoop
import Lua
import LuaKit
import OAuth

/// Grants that wait for an answer of the user elsewhere.
extension OAuthModule {
  static let backchannel = asking(
    "oauth.backchannel",
    "Asks the user on another device, and waits for the answer (CIBA Core, poll mode). The ID token is validated.",
    .options(
      [
        .optional("login_hint", .string, "The user: a user name or email address."),
        .optional("id_token_hint", .secret, "The user: an ID token of an earlier sign-in."),
        .optional("login_hint_token", .secret, "The user: a token that the provider understands."),
        .optional("scope", .words, "The requested scopes; the scopes of the settings if not given."),
        .optional("binding_message", .string, "A short text that both devices show, so that the user compares them."),
        .optional("acr_values", .string, "The required methods of sign-in, with the provider's names."),
        .optional("requested_expiry", .integer, in: 1...1_000_000, "The seconds that the user has for the answer."),
        .optional("user_code", .secret, "A secret that only the user knows, at providers that want it."),
        .dpop(
          "Bind the tokens to a key (RFC 9449): true for a new key, or a key of b2c.jose. If not given: in a flow, the key of "
            + "the sign-in; else none."),
        Self.policyParameter,
      ], required: true), returns: .init(.record(.tokenResponse), "The response of the provider.")
  ) { module, arguments, context, policy in
    var request = BackchannelRequest()
    request.loginHint = arguments["login_hint"].string
    request.idTokenHint = arguments["id_token_hint"].asSecret
    request.loginHintToken = arguments["login_hint_token"].asSecret
    request.scopes = try arguments.words(arguments["scope"], "option 'scope'")
    request.bindingMessage = arguments["binding_message"].string
    request.acrValues = arguments["acr_values"].string
    request.requestedExpiry = arguments["requested_expiry"].integer.map { Int($0) }
    request.userCode = arguments["user_code"].asSecret
    request.policy = policy
    let authentication = try await context.client.backchannelAuthentication(request)
    var tokenRequest = authentication.tokenRequest(policy: policy)
    tokenRequest.binding.proofKey = try await arguments["dpop"].proofKey(context, "oauth.backchannel")
    let tokens = try await authentication.polling.run { try await context.token(tokenRequest) }
    try await context.client.validate(backchannel: tokens, to: request)
    return [try await module.answer(tokens)]
  }

  static let poll = asking(
    "oauth.poll",
    "Sends a token request until the user has answered elsewhere, as in the device flow. It waits before each request, and longer "
      + "after slow_down.",
    Parameter("request", .record(.tokenRequest), "The grant and its parameters."),
    options: [
      Parameter("expires_in", .integer, in: 1...1e9, "The seconds until the wait ends with the error expired_token."),
      .optional("interval", .integer, in: 0...1e9, "The seconds between two requests: at least 1; 5 if not given."),
    ], returns: .init(.record(.tokenResponse), "The response of the provider.")
  ) { module, arguments, context, _ in
    let request = try await module.tokenRequest(arguments, context)
    let polling = Polling(
      interval: arguments["interval"].integer.map { Int($0) }, expiresIn: Int(arguments["expires_in"].integer ?? 0))
    return [try await module.answer(try await polling.run { try await context.token(request) })]
  }
}
