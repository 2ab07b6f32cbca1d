import Automation
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
    options: AuthorizationRequest.requestKeys + [AuthorizationRequest.objectParameter],
    returns: .init(.record(pushedRecord.record), "The name of the request at the provider.")
  ) { module, arguments, context, _ in
    let request = try await module.authorizationRequest(arguments, context)
    let pushed = try await context.client.pushedRequest(request)
    context.authorization = request
    return [pushedRecord.value(pushed)]
  }

  static let requestObject = asking(
    "oauth.request_object",
    "Makes a request object (RFC 9101): the parameters of an authorization request as a JWT that the key of the setting "
      + "clientKey signs. oauth.authorize_url { request_object = true } makes and sends one.",
    options: AuthorizationRequest.requestKeys + [
      .optional("encrypt", .boolean, "true: also encrypt the request for the provider, with a key of its key set.")
    ], returns: .init(.string, "The JWT, for the parameter request.")
  ) { module, arguments, context, _ in
    let request = try await module.authorizationRequest(arguments, context)
    context.authorization = request
    let isEncrypted = arguments["encrypt"].boolean ?? false
    return [.string(try await context.client.requestObject(request, isEncrypted: isEncrypted))]
  }

  private static let pushedRecord = ValueRecord<PushedRequest>(
    "pushed request", "An authorization request that the provider keeps.",
    .init("request_uri", .string, "The name of the request, for oauth.authorize_url.") { .string($0.requestURI) },
    .init("expires_in", .integer, "The lifetime of the request, in seconds.") { .integer($0.expiresIn) })
}

extension OAuthModule {
  /// The request of the options of `oauth.authorize_url` and its like, after the variation of the run and the hooks.
  func authorizationRequest(_ arguments: Arguments, _ context: FlowContext) async throws -> AuthorizationRequest {
    let changed = try await changed(arguments)
    var request = try AuthorizationRequest(changed, context)
    request.proofThumbprint = try await changed["dpop"].proofKey(context, arguments.function.name)?.thumbprint
    request.resources = try changed.resources(changed["resource"])
    switch changed["request_object"] {
    case .nil: break
    case .boolean(false): request.requestObject = .absent
    case .boolean: request.requestObject = .signed
    default: request.requestObject = .encrypted
    }
    request.details = try changed.details(changed["authorization_details"], signIns.context.json)
    return request
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

extension AuthorizationRequest {
  /// Options that a sign-in and its authorization request have in common.
  static let sharedKeys: [Parameter] = [
    .optional("prompt", .string, "none, login, consent or select_account."),
    .optional("login_hint", .string, "The user name that the provider suggests."),
    .optional("domain_hint", .string, "The identity provider where the user signs in."),
    .optional("ui_locales", .string, "The languages of the pages, separated by spaces."),
    .optional("max_age", .integer, "The maximum seconds since the user entered a password."),
    .optional("acr_values", .string, "The required methods of sign-in, with the provider's names."),
    .optional("id_token_hint", .secret, "The ID token of an earlier sign-in."),
    .optional(
      "response_mode", .string,
      "query, fragment or form_post; jwt, query.jwt, fragment.jwt or form_post.jwt for a signed response (JARM)."),
    .resource("The API that the tokens are for, or several (RFC 8707): absolute URIs without a fragment."),
    .authorizationDetails(
      "The requested details (RFC 9396): a list of tables, each with a type, or JSON text."),
  ]

  static let parParameter = Parameter(
    "par", .boolean, optional: true,
    "true: send the request to the provider first (RFC 9126), so that the URL has only the name of the request. If not "
      + "given: as the provider's metadata document requires.")

  static let objectParameter = Parameter.optional(
    "request_object", .either([.boolean, .choice(["encrypted"])]),
    "true: send the parameters as a JWT that clientKey signs (RFC 9101); \"encrypted\": also encrypt it for the provider. If "
      + "not given: as the provider's metadata document requires.")

  /// The options of `oauth.authorize_url`.
  static let keys =
    requestKeys + [
      parParameter, objectParameter,
      .optional(
        "request_uri", .string, "The request_uri of oauth.par. The URL then has only client_id and this parameter."),
    ]
}

extension Parameter {
  /// The option `resource`: a URI, or a list of them.
  static func resource(_ doc: String) -> Parameter { .optional("resource", .words, doc) }

  /// The option `authorization_details`.
  static func authorizationDetails(_ doc: String) -> Parameter {
    .optional("authorization_details", .either([.string, .list(of: .map(of: .any))]), doc)
  }
}
