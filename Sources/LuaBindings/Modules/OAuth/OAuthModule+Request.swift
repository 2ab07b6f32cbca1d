import Automation
import Lua
import OAuth

extension OAuthModule {
  static let par = asking(
    "oauth.par",
    "Sends an authorization request to the provider before the browser opens (RFC 9126). oauth.authorize_url takes the "
      + "request_uri.",
    options: AuthorizationRequest.requestKeys,
    returns: .init(.record(pushedRecord.record), "The name of the request at the provider.")
  ) { module, arguments, context, _ in
    let changed = try await module.changed(arguments)
    var request = try AuthorizationRequest(changed, context)
    request.proofThumbprint = try await changed["dpop"].proofKey(context, "oauth.par")?.thumbprint
    let pushed = try await context.client.pushedRequest(request)
    context.authorization = request
    return [pushedRecord.value(pushed)]
  }

  private static let pushedRecord = ValueRecord<PushedRequest>(
    "pushed request", "An authorization request that the provider keeps.",
    .init("request_uri", .string, "The name of the request, for oauth.authorize_url.") { .string($0.requestURI) },
    .init("expires_in", .integer, "The lifetime of the request, in seconds.") { .integer($0.expiresIn) })
}

extension AuthorizationRequest {
  static let parParameter = Parameter(
    "par", .boolean, optional: true,
    "true: send the request to the provider first (RFC 9126), so that the URL has only the name of the request. If not "
      + "given: as the provider's metadata document requires.")

  /// The options of `oauth.authorize_url`.
  static let keys =
    requestKeys + [
      parParameter,
      .optional(
        "request_uri", .string, "The request_uri of oauth.par. The URL then has only client_id and this parameter."),
    ]
}
