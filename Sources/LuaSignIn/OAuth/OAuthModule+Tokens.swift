import Accounts
import Automation
import Core
import HostLoop
import JOSE
import JSON
import Lua
import LuaKit
import OAuth

/// Tokens after the sign-in: questions about them, and other tokens for them.
extension OAuthModule {
  static let introspect = asking(
    "oauth.introspect", "Asks the provider whether a token is valid, and about its contents (RFC 7662).",
    Parameter("token", .secret, "The access token or refresh token."),
    options: IntrospectOptions.keys, returns: .init(.record(.introspection), "The members of the answer."),
    example: """
      local alice = b2c.tenant.sign_in()
      local answer = b2c.oauth.introspect(alice:token(), { jwt = true })
      print(answer.active, answer.scope)
      """
  ) { module, arguments, attempt in
    let options = try IntrospectOptions(arguments)
    let answer = try await IntrospectionEndpoint(attempt.provider).introspect(
      arguments[0].asSecret ?? Secret(""), hint: options.hint, isSigned: options.isSigned ?? false,
      policy: options.policy ?? attempt.policy)
    return [module.signIns.context.json.value(answer)]
  }

  private struct IntrospectOptions: LuaOptions {
    var isSigned: Bool?
    var hint: String?
    var policy: String?

    static let fields: [Field] = [
      .init(
        "jwt", \.isSigned,
        "true: ask for a signed answer (RFC 9701), check its typ, iss, aud, iat and signature, and refuse another answer."
      ),
      .init("hint", \.hint, .choice(["access_token", "refresh_token"]), "The kind of the token."),
      .policy(\.policy),
    ]
  }

  static let userinfo = asking(
    "oauth.userinfo", "Asks the provider about the user (OpenID Connect Core, 5.3), and compares the user.",
    Parameter(
      "tokens", .either([.string, .object("secret"), .object("account"), .record(.tokenResponse)]),
      "An account, a token response, or an access token."),
    options: UserinfoOptions.keys,
    returns: .init(.record(.claims), "The claims of the user."),
    .init(
      .boolean,
      "True if the sub was compared. False if the expected sub is unknown, so the claims may be another user's."),
    example: "print(b2c.oauth.userinfo(b2c.tenant.sign_in()).name)"
  ) { module, arguments, attempt in
    let options = try UserinfoOptions(arguments)
    let source = try await UserinfoSource(arguments, options, attempt, module.signIns)
    let answer = try await UserinfoEndpoint(source.provider).userinfo(
      source.token, type: source.type, key: source.key, subject: options.subject ?? source.subject,
      policy: options.policy ?? source.policy ?? attempt.policy)
    return [module.signIns.context.json.value(answer.claims), .boolean(answer.isCompared)]
  }

  static let exchange = asking(
    "oauth.exchange",
    "Exchanges a token for another one (RFC 8693): for another API, with fewer scopes, or in the name of somebody else. "
      + "With actor_token, the new token says who acts for the user (delegation).",
    .options(ExchangeOptions.keys, required: true),
    returns: .init(.record(.exchangedToken), "The response of the provider.")
  ) { module, arguments, attempt in
    let options = try ExchangeOptions(arguments)
    var exchange = options.exchange
    exchange.policy = exchange.policy ?? attempt.policy
    exchange.binding.proofKey = try await options.dpop.proofKey(attempt, "oauth.exchange")
    let answer = try await attempt.token(exchange.request)
    try TokenExchange.checkIssuedType(answer)
    return [try await module.answer(answer)]
  }

  private struct ExchangeOptions: LuaOptions {
    var exchange = TokenExchange(subjectToken: Secret(given: ""))
    var dpop = LuaValue.nil

    private static let type = LuaType.openChoice(TokenExchange.typeNames)
    static let fields: [Field] = [
      .init(required: "subject_token", \.exchange.subjectToken, "The token of the user."),
      .init(
        "subject_token_type", \.exchange.subjectTokenType, type,
        "The type of subject_token, or a URN; access_token if not given."
      ) { value, _ in value.string ?? "" },
      .init("actor_token", \.exchange.actorToken, "The token of the party that acts for the user."),
      .init(
        "actor_token_type", \.exchange.actorTokenType, type,
        "The type of actor_token, or a URN; access_token if not given."),
      .init(
        "requested_token_type", \.exchange.requestedTokenType, type,
        "The type of the new token, or a URN; the provider decides if not given."),
      .init("audience", \.exchange.audience, "The name of the API at the provider, such as its client ID."),
      .init("resource", \.exchange.resource, "The address of the API."),
      .words("scope", \.exchange.scopes, "The scopes of the new token."),
      .dpop(\.dpop, "Bind the new token to a key (RFC 9449): true for a new key, or a key of b2c.jose."),
      .policy(\.exchange.policy),
    ]
  }

  static let onBehalfOf = asking(
    "oauth.on_behalf_of",
    "Exchanges the access token that an API was called with for a token for the next API, in the name of the same user: the "
      + "on-behalf-of grant of Microsoft Entra. Azure AD B2C does not have it.",
    .options(OnBehalfOptions.keys, required: true),
    returns: .init(.record(.tokenResponse), "The response of the provider.")
  ) { module, arguments, attempt in
    let options = try OnBehalfOptions(arguments)
    var request = TokenRequest.onBehalfOf(
      options.assertion, policy: options.policy ?? attempt.policy, scopes: options.scopes)
    request.binding.proofKey = try await options.dpop.proofKey(attempt, "oauth.on_behalf_of")
    do { return [try await module.answer(try await attempt.token(request))] } catch var error as OAuthError {
      if error.details["error"] == "unsupported_grant_type" {
        error.hint = "Azure AD B2C has no on-behalf-of grant; Microsoft Entra ID and External ID have"
      }
      throw error
    }
  }

  private struct OnBehalfOptions: LuaOptions {
    var assertion = Secret(given: "")
    var scopes: [String]?
    var dpop = LuaValue.nil
    var policy: String?

    static let fields: [Field] = [
      .init(required: "assertion", \.assertion, "The access token that the API was called with."),
      .words("scope", \.scopes, "The scopes of the next API."),
      .dpop(\.dpop, "Bind the new token to a key (RFC 9449): true for a new key, or a key of b2c.jose."),
      .policy(\.policy),
    ]
  }
}

/// The options of `oauth.userinfo`.
private struct UserinfoOptions: LuaOptions {
  var subject: String?
  var key: LuaKey?
  var policy: String?

  static let fields: [Field] = [
    .init(
      "subject", \.subject,
      "The expected sub. If not given: the sub of the account, or of the ID token in the token response."),
    .init(
      "dpop", \.key, .object("key"),
      "The key that an access token is bound to. An account and a token response have their own."),
    .policy(\.policy),
  ]
}

/// The access token of `oauth.userinfo`, and what is known about its user.
private struct UserinfoSource {
  let provider: Provider
  var token: Secret
  var type = "Bearer"
  var key: ProofKey?
  var subject: String?
  var policy: String?

  @HostActor init(
    _ arguments: Arguments, _ options: UserinfoOptions, _ attempt: SignInAttempt, _ signIns: ScriptSignIns
  ) async throws {
    let given = try options.key.map { try ProofKey($0.key) }
    if let account = arguments[0].object(LuaAccount.self) {
      token = try await account.tokens.token()
      let accounts = signIns.session.accounts
      provider = signIns.session.providers.provider(for: try await accounts.settings(of: account.account))
      type = try await accounts.tokenType(of: account.account)
      key = account.account.binding.proofKey
      subject = account.account.claims["sub"]?.string
      policy = account.account.policy
      return
    }
    provider = attempt.provider
    guard let table = arguments[0].table else {
      token = arguments[0].asSecret ?? Secret("")
      key = given
      if given != nil { type = "DPoP" }
      return
    }
    guard let accessToken = table["access_token"].asSecret else {
      throw arguments.failure("argument 1: the token response has no access_token")
    }
    token = accessToken
    type = table["token_type"].string ?? type
    key = try table["dpop_key"].object(LuaKey.self).map { try ProofKey($0.key) } ?? given
    guard let idToken = table["id_token"].asSecret else { return }
    // The flow or the script validates the ID token; here it only says which user is expected.
    subject = (try? JWT(decoding: idToken.reveal()))?.claims["sub"]?.string
  }
}

extension LuaRecord {
  /// The result of `oauth.introspect` (RFC 7662, 2.2).
  static let introspection = LuaRecord(
    "introspection answer", "The answer of a provider about a token.",
    Parameter("active", .boolean, "True if the token is valid now. Without it, the other members are missing."),
    .optional("scope", .string, "The scopes, separated by spaces."),
    .optional("client_id", .string, "The application that the token was issued to."),
    .optional("username", .string, "The name of the user."),
    .optional("token_type", .string, "The type of the token, such as Bearer."),
    .optional("sub", .string, "The ID of the user."),
    .optional("aud", .either([.string, .list(of: .string)]), "The audience."),
    .optional("exp", .integer, "The expiry time, in Unix seconds."), others: .any)

  /// The result of `oauth.exchange` (RFC 8693, 2.2.1).
  static let exchangedToken = LuaRecord(
    "exchanged token", "The response to a token exchange.",
    Parameter("access_token", .object("secret"), "The new token, also if it is another kind of token."),
    Parameter("issued_token_type", .string, "The type of the new token, as a URN."),
    .optional("token_type", .string, "Bearer, DPoP, or N_A for another kind of token, which no API gets."),
    .optional("scope", .string, "The granted scopes, separated by spaces."),
    .optional("expires_in", .either([.integer, .string]), "The lifetime in seconds, as sent."),
    .optional("expires_at", .integer, "The expiry time, in Unix seconds."),
    .optional("refresh_token", .object("secret"), "A refresh token."),
    .optional("dpop_key", .object("key"), "The key that the token is bound to."), others: .any)
}
