import Core
package import HostLoop
import Settings

/// The endpoint that the user's browser opens, and whose redirect comes back (RFC 6749, 3.1).
@HostActor
package struct AuthorizationEndpoint: Sendable {
  let provider: Provider

  package nonisolated init(_ provider: Provider) { self.provider = provider }

  /// Parameters that belong to the request itself, so that a script cannot change them by accident.
  private static let reserved: Set<String> = [
    "client_id", "response_type", "redirect_uri", "scope", "state", "nonce", "code_challenge", "code_challenge_method",
    "dpop_jkt",
  ]

  /// The URL where the user signs in. The endpoint's own parameters, such as `p`, stay; none occurs twice.
  package func url(_ request: AuthorizationRequest) async throws(OAuthError) -> String {
    let policy = try provider.resolve(request.policy, .authorize)
    let clientID = try provider.clientID(.authorize)
    let profile = ProfileChecks(provider)
    try await profile.check(.authorize, policy: policy)
    var endpoint = provider.settings.followsFAPI2 ? nil : provider.settings.authorizationEndpoint(policy: policy)
    if endpoint == nil {
      endpoint = try await provider.address(of: .authorization, setting: "authURL", policy, .authorize)
    }
    var url = WebAddress(endpoint ?? "")
    url.fragment = nil
    var requestURI = request.requestURI
    let pushing = PushedRequestEndpoint(provider)
    let isPushed = requestURI != nil || pushing.takes(request, policy)
    try await profile.check(request, isPushed: isPushed)
    if requestURI == nil, isPushed { requestURI = try await pushing.push(request).requestURI }
    if let requestURI {
      url.set([("client_id", clientID), ("request_uri", requestURI)])
    } else if let object = try await RequestObject(provider).text(for: request, policy) {
      url.set(try fields(beside: object, request))
    } else {
      url.add(try fields(of: request))
    }
    return url.text
  }

  /// The parameters of an authorization request. Only `resource` may occur more than once.
  func fields(of request: AuthorizationRequest) throws(OAuthError) -> [(String, String)] {
    var fields = WebAddress("")
    for (name, value) in provider.settings.additionalParameters.sorted(by: { $0.key < $1.key }) {
      fields.set(name, value)
    }
    fields.set(
      request.fields(
        clientID: try provider.clientID(.authorize), redirectURI: try provider.redirectURI(request.redirectURI),
        scopes: request.scopes ?? provider.settings.scopes))
    for (name, value) in request.parameters.sorted(by: { $0.key < $1.key }) {
      guard !Self.reserved.contains(name), name != "resource" || request.binding.resources.isEmpty,
        name != "authorization_details" || request.details == nil
      else {
        throw OAuthError(
          "invalid_parameter", .authorize, "\"\(name)\" cannot be set as a further parameter of the authorization URL",
          hint: "the request has a separate option for it")
      }
      fields.set(name, value)
    }
    var list = fields.fields.map { ($0.name, $0.value) }
    if !request.binding.resources.isEmpty {
      list = list.filter { $0.0 != "resource" } + request.binding.resources.map { ("resource", $0) }
    }
    return provider.link.changed(list)
  }

  /// The parameters that stand beside a request object: OpenID Connect asks for some of them there, too (Core, 6.1).
  private func fields(beside object: String, _ request: AuthorizationRequest) throws(OAuthError) -> [(String, String?)]
  {
    let isOpenID = (request.scopes ?? provider.settings.scopes).contains("openid")
    return [
      ("client_id", try provider.clientID(.authorize)), ("response_type", isOpenID ? request.responseType : nil),
      ("scope", isOpenID ? "openid" : nil), ("request", object),
    ]
  }

  /// Reads the redirect that answers an authorization request.
  ///
  /// The parameter `iss` (RFC 9207) is compared with the issuer of the settings or of the metadata document. That is
  /// fetched when the redirect has an `iss`; where it is known to promise one, a redirect without is refused.
  ///
  /// - Parameter isSigned: true if the request asked for a response in a JWT (JARM). Another is refused then.
  package func readRedirect(
    _ url: String, expectedRedirectURI: String? = nil, state: String? = nil, policy: String? = nil,
    isSigned: Bool = false
  ) async throws(OAuthError) -> AuthorizationResponse {
    provider.link.redirected(to: url)
    let settings = provider.settings
    let outer = try AuthorizationResponse.parameters(of: url, expectedRedirectURI: expectedRedirectURI)
    try ProfileChecks(provider).check(redirect: outer)
    // A provider may also sign for a client that is registered for it.
    if isSigned || outer["response"] != nil && outer["code"] == nil && outer["error"] == nil {
      let parameters = try await SignedResponse(provider).parameters(outer, state: state, policy: policy)
      return try AuthorizationResponse(parameters: parameters, state: state)
    }
    if knownIssuer(policy) == nil, outer["iss"] != nil || settings.followsFAPI2,
      settings.metadataURL(policy: try provider.resolve(policy, .authorize)) != nil
    {
      _ = try await provider.metadata(policy: policy)
    }
    let known = knownIssuer(policy)
    return try AuthorizationResponse(
      parameters: outer, state: state, issuer: known?.name,
      requiresIssuer: requiresIssuer(policy),
      isStrict: settings.givenMetadataURL != nil)
  }

  /// True if a redirect must have the parameter `iss` (RFC 9207), by the profile or by the metadata document that is known.
  package func requiresIssuer(_ policy: String?) -> Bool {
    provider.settings.followsFAPI2 || knownIssuer(policy)?.isNamedInRedirects ?? false
  }

  private func knownIssuer(_ policy: String?) -> (name: String, isNamedInRedirects: Bool)? {
    if let metadata = provider.knownMetadata(policy) { return (metadata.issuer, metadata.namesIssuerInRedirects) }
    return provider.settings.issuer.map { ($0, false) }
  }
}

extension WebAddress {
  /// Sets each field in place of one of the endpoint. A name that occurs more than once is added each time.
  fileprivate mutating func add(_ fields: [(String, String)]) {
    var added: Set<String> = []
    for (name, value) in fields {
      if added.insert(name).inserted {
        set(name, value)
      } else {
        self = WebAddress(appending(URLEncodedForm.encode([(name, value)])))
      }
    }
  }

  mutating func set(_ fields: [(String, String?)]) {
    for case (let name, let value?) in fields { set(name, value) }
  }
}
