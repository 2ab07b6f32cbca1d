import Automation
import Core
import HostLoop
import JSON
import Lua
import LuaKit
import OAuth

extension OAuthModule {
  static let par = asking(
    "oauth.par",
    "Sends an authorization request to the provider before the browser opens (RFC 9126). oauth.authorize_url takes the "
      + "request_uri.",
    options: RequestOptions.keys + [AuthorizeOptions.requestObject.parameter],
    returns: .init(.record(pushedRecord.record), "The name of the request at the provider.")
  ) { module, arguments, attempt in
    let request = try await module.authorizationRequest(arguments, attempt)
    let pushed = try await PushedRequestEndpoint(attempt.provider).push(request)
    attempt.authorization = request
    return [pushedRecord.value(pushed)]
  }

  static let requestObject = asking(
    "oauth.request_object",
    "Makes a request object (RFC 9101): the parameters of an authorization request as a JWT that the key of the setting "
      + "clientKey signs. oauth.authorize_url { request_object = true } makes and sends one.",
    options: RequestObjectOptions.keys, returns: .init(.string, "The JWT, for the parameter request.")
  ) { module, arguments, attempt in
    let request = try await module.authorizationRequest(arguments, attempt)
    attempt.authorization = request
    let isEncrypted = try RequestObjectOptions(arguments).isEncrypted ?? false
    return [.string(try await RequestObject(attempt.provider).text(request, isEncrypted: isEncrypted))]
  }

  private struct RequestObjectOptions: LuaOptions {
    var basic = RequestOptions()
    var isEncrypted: Bool?

    static let fields =
      Field.nested(RequestOptions.fields, in: \.basic) + [
        .init(
          "encrypt", \.isEncrypted,
          "true: also encrypt the request for the provider, with a key of its key set.")
      ]
  }

  private static let pushedRecord = ValueRecord<PushedRequest>(
    "pushed request", "An authorization request that the provider keeps.",
    .init("request_uri", .string, "The name of the request, for oauth.authorize_url.") { .string($0.requestURI) },
    .init("expires_in", .integer, "The lifetime of the request, in seconds.") { .integer($0.expiresIn) })
}

extension OAuthModule {
  /// The request of the options of `oauth.authorize_url` and its like, after the variation of the run and the hooks.
  func authorizationRequest(_ arguments: Arguments, _ attempt: SignInAttempt) async throws -> AuthorizationRequest {
    let changed = try await changed(arguments)
    let options = try AuthorizeOptions(changed)
    var request = options.basic.request
    request.policy = request.policy ?? attempt.policy
    request.redirectURI = try request.redirectURI ?? attempt.redirectURI()
    request.binding.proofKey = try await options.basic.dpop.proofKey(attempt, arguments.function.name)
    request.details = try changed.details(options.basic.details, signIns.context.json)
    return request
  }
}

/// The options that describe an authorization request.
struct RequestOptions: LuaOptions {
  var request = AuthorizationRequest()
  var dpop = LuaValue.nil
  var details = LuaValue.nil

  static let fields: [Field] =
    [
      .policy(\.request.policy),
      .init(
        "redirect_uri", \.request.redirectURI,
        "The redirect URI. If not given: in a flow, the redirect URI of the sign-in; else the setting."),
      .words("scopes", \.request.scopes, "The requested scopes; the scopes of the settings if not given."),
      .init("state", \.request.state, "A value that the provider returns in the redirect."),
      .init("nonce", \.request.nonce, "A value that the provider returns in the ID token."),
      .init("pkce", \.request.pkce, .record(.pkce), "The result of oauth.pkce().") { value, place in
        guard let verifier = value.table?["verifier"].string else {
          throw place.failure("expected the result of oauth.pkce()")
        }
        return PKCE(verifier: verifier, method: value.table?["method"].string.flatMap(PKCE.Method.init) ?? .s256)
      },
      .dpop(
        \.dpop,
        "Bind the code to a key, by the parameter dpop_jkt (RFC 9449, 10). If not given: in a flow, to the key of the sign-in."
      ),
      .init("response_type", \.request.responseType, .string, "The response type; code if not given.") { value, _ in
        value.string ?? ""
      },
      .init("parameters", \.request.parameters, .map(of: .requestValue), "Further parameters, by name.") {
        Dictionary(try HTTPRequestOptions.fields($0, $1), uniquingKeysWith: { _, last in last })
      },
    ] + shared

  /// The options that a sign-in and its authorization request have in common.
  static let shared: [Field] = [
    .init("prompt", \.request.hints[.prompt], "none, login, consent or select_account."),
    .init("login_hint", \.request.hints[.loginHint], "The user name that the provider suggests."),
    .init("domain_hint", \.request.hints[.domainHint], "The identity provider where the user signs in."),
    .init("ui_locales", \.request.hints[.uiLocales], "The languages of the pages, separated by spaces."),
    .init("max_age", \.request.hints[.maxAge], .integer, "The maximum seconds since the user entered a password.") {
      value, _ in
      value.integer.map { String($0) }
    },
    .init("acr_values", \.request.hints[.acrValues], "The required methods of sign-in, with the provider's names."),
    .init("id_token_hint", \.request.hints[.idTokenHint], .secret, "The ID token of an earlier sign-in.") { value, _ in
      value.asSecret?.reveal()
    },
    .init(
      "response_mode", \.request.hints[.responseMode],
      "query, fragment or form_post; jwt, query.jwt, fragment.jwt or form_post.jwt for a signed response (JARM)."),
    .resource(
      \.request.binding.resources,
      "The API that the tokens are for, or several (RFC 8707): absolute URIs without a fragment."),
    .details(\.details, "The requested details (RFC 9396): a list of tables, each with a type, or JSON text."),
  ]
}

/// The options of `oauth.authorize_url`.
struct AuthorizeOptions: LuaOptions {
  var basic = RequestOptions()

  static let fields =
    Field.nested(RequestOptions.fields, in: \.basic) + [
      par, requestObject,
      .init(
        "request_uri", \.basic.request.requestURI,
        "The request_uri of oauth.par. The URL then has only client_id and this parameter."),
    ]

  static let par = Field(
    "par", \.basic.request.isPushed,
    "true: send the request to the provider first (RFC 9126), so that the URL has only the name of the request. If not "
      + "given: as the provider's metadata document requires.")

  static let requestObject = Field(
    "request_object", \.basic.request.requestObject, .either([.boolean, .choice(["encrypted"])]),
    "true: send the parameters as a JWT that clientKey signs (RFC 9101); \"encrypted\": also encrypt it for the provider. If "
      + "not given: as the provider's metadata document requires."
  ) { value, _ in
    switch value.boolean {
    case false?: .absent
    case true?: .signed
    case nil: .encrypted
    }
  }
}

extension Arguments {
  /// The URIs of the option `resource` (RFC 8707, 2).
  @HostActor func resources(_ value: LuaValue) throws(LuaError) -> [String] {
    let elements = try value.table?.elements ?? (value.isNil ? [] : [value])
    var uris: [String] = []
    for element in elements {
      guard let uri = element.string, ResourceIndicator.isWellFormed(uri) else {
        throw failure(
          option: "resource",
          "expected absolute URIs without a fragment (RFC 8707, 2), got \(element.string.map { "\"\($0)\"" } ?? "a \(element.typeName)")",
          hint: "write the whole address or name of the API, such as https://api.example.com/tasks")
      }
      if !uris.contains(uri) { uris.append(uri) }
    }
    return uris
  }
}

extension Arguments {
  /// The value of the option `authorization_details` (RFC 9396, 2).
  @HostActor func details(_ value: LuaValue, _ marshal: JSONMarshal) throws(LuaError) -> AuthorizationDetails? {
    guard !value.isNil else { return nil }
    let option = "authorization_details"
    let json: JSON
    if let text = value.string {
      do throws(JSONError) { json = try JSON(parsing: Array(text.utf8), maximumDepth: 32) } catch {
        throw failure(option: option, "the text is no JSON: \(error.message)")
      }
    } else {
      json = try marshal.json(value, at: place(option: option))
    }
    if let details = AuthorizationDetails(json) { return details }
    throw failure(
      option: option, AuthorizationDetails.problem(with: json) ?? "",
      hint: "for example { { type = \"task_list\", actions = { \"read\" } } }")
  }
}
