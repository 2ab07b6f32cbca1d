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
    .options(BackchannelOptions.keys, required: true),
    returns: .init(.record(.tokenResponse), "The response of the provider.")
  ) { module, arguments, attempt in
    let options = try BackchannelOptions(arguments)
    var request = options.request
    request.policy = request.policy ?? attempt.policy
    let authentication = try await BackchannelEndpoint(attempt.provider).authentication(request)
    var tokenRequest = authentication.tokenRequest(policy: request.policy)
    tokenRequest.binding.proofKey = try await options.dpop.proofKey(attempt, "oauth.backchannel")
    let tokens = try await authentication.polling.run { try await attempt.token(tokenRequest) }
    try await BackchannelEndpoint(attempt.provider).validate(backchannel: tokens, to: request)
    return [try await module.answer(tokens)]
  }

  private struct BackchannelOptions: LuaOptions {
    var request = BackchannelRequest()
    var dpop = LuaValue.nil

    static let fields: [Field] = [
      .init("login_hint", \.request.loginHint, "The user: a user name or email address."),
      .init("id_token_hint", \.request.idTokenHint, "The user: an ID token of an earlier sign-in."),
      .init("login_hint_token", \.request.loginHintToken, "The user: a token that the provider understands."),
      .words("scope", \.request.scopes, "The requested scopes; the scopes of the settings if not given."),
      .init(
        "binding_message", \.request.bindingMessage,
        "A short text that both devices show, so that the user compares them."),
      .init(
        "acr_values", \.request.acrValues, "The required methods of sign-in, with the provider's names."),
      .init(
        "requested_expiry", \.request.requestedExpiry, in: 1...1_000_000,
        "The seconds that the user has for the answer."),
      .init("user_code", \.request.userCode, "A secret that only the user knows, at providers that want it."),
      .dpop(
        \.dpop,
        "Bind the tokens to a key (RFC 9449): true for a new key, or a key of b2c.jose. If not given: in a flow, the key of "
          + "the sign-in; else none."),
      .policy(\.request.policy),
    ]
  }

  static let poll = asking(
    "oauth.poll",
    "Sends a token request until the user has answered elsewhere, as in the device flow. It waits before each request, and longer "
      + "after slow_down.",
    Parameter("request", .record(.tokenRequest), "The grant and its parameters."),
    options: PollOptions.keys, returns: .init(.record(.tokenResponse), "The response of the provider.")
  ) { module, arguments, attempt in
    let request = try await module.tokenRequest(arguments, attempt)
    let options = try PollOptions(arguments)
    let polling = Polling(interval: options.interval, expiresIn: options.expiresIn)
    return [try await module.answer(try await polling.run { try await attempt.token(request) })]
  }

  private struct PollOptions: LuaOptions {
    var expiresIn = 0
    var interval: Int?

    static let fields: [Field] = [
      .init(
        required: "expires_in", \.expiresIn, in: 1...1e9,
        "The seconds until the wait ends with the error expired_token."),
      .init("interval", \.interval, in: 0...1e9, "The seconds between two requests: at least 1; 5 if not given."),
    ]
  }
}
