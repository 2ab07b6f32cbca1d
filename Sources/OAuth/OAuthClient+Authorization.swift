import Core
import HostLoop
import Settings

extension OAuthClient {
  /// Parameters that belong to the request itself, so that a script cannot change them by accident.
  private static let reserved: Set<String> = [
    "client_id", "response_type", "redirect_uri", "scope", "state", "nonce", "code_challenge", "code_challenge_method",
    "dpop_jkt",
  ]

  /// The URL where the user signs in. The endpoint's own parameters, such as `p`, stay; none occurs twice.
  package func authorizationURL(_ request: AuthorizationRequest) async throws(OAuthError) -> String {
    let policy = try resolve(request.policy, .authorize)
    let clientID = try clientID(.authorize)
    try await checkProfile(.authorize, policy: policy)
    var endpoint = usesMetadataAlone ? nil : settings.authorizationEndpoint(policy: policy)
    if endpoint == nil { endpoint = try await self.endpoint(.authorization, setting: "authURL", policy, .authorize) }
    var url = WebAddress(endpoint ?? "")
    url.fragment = nil
    var requestURI = request.requestURI
    let isPushed = requestURI != nil || isPushed(request, policy)
    try await checkProfile(request, isPushed: isPushed)
    if requestURI == nil, isPushed { requestURI = try await pushedRequest(request).requestURI }
    if let requestURI {
      url.set([("client_id", clientID), ("request_uri", requestURI)])
    } else if let object = try await requestObject(for: request, policy) {
      url.set(try fields(beside: object, request))
    } else {
      url.add(try fields(of: request))
    }
    return url.text
  }

  /// The parameters of an authorization request. Only `resource` may occur more than once.
  func fields(of request: AuthorizationRequest) throws(OAuthError) -> [(String, String)] {
    var fields = WebAddress("")
    for (name, value) in settings.additionalParameters.sorted(by: { $0.key < $1.key }) { fields.set(name, value) }
    let redirectURI: String
    do throws(SettingsError) {
      redirectURI = if let given = request.redirectURI { given } else { try settings.redirectURL }
    } catch { throw OAuthError(error, .authorize) }
    fields.set(
      request.fields(
        clientID: try clientID(.authorize), redirectURI: redirectURI, scopes: request.scopes ?? settings.scopes))
    for (name, value) in request.parameters.sorted(by: { $0.key < $1.key }) {
      guard !Self.reserved.contains(name), name != "resource" || request.resources.isEmpty,
        name != "authorization_details" || request.details == nil
      else {
        throw OAuthError(
          "invalid_parameter", .authorize, "\"\(name)\" cannot be set as a further parameter of the authorization URL",
          hint: "the request has a separate option for it")
      }
      fields.set(name, value)
    }
    var list = fields.fields.map { ($0.name, $0.value) }
    if !request.resources.isEmpty {
      list = list.filter { $0.0 != "resource" } + request.resources.map { ("resource", $0) }
    }
    return deviation?.changed(list) ?? list
  }

  /// The URL where the user ends the provider's own session (OpenID Connect RP-Initiated Logout, 2).
  package func endSessionURL(
    policy: String? = nil, idTokenHint: String? = nil, postLogoutRedirectURI: String? = nil, state: String? = nil
  ) async throws(OAuthError) -> String {
    let policy = try resolve(policy, .authorize)
    var endpoint = settings.logoutEndpoint(policy: policy)
    if endpoint == nil { endpoint = try await self.endpoint(.endSession, setting: "logoutURL", policy, .authorize) }
    var url = WebAddress(endpoint ?? "")
    url.fragment = nil
    url.set([
      ("client_id", try clientID(.authorize)), ("id_token_hint", idTokenHint),
      ("post_logout_redirect_uri", postLogoutRedirectURI), ("state", state),
    ])
    return url.text
  }

  /// Reads the redirect that answers an authorization request (see `AuthorizationResponse.init(redirect:)`).
  ///
  /// The parameter `iss` (RFC 9207) is compared with the issuer of the settings or of the metadata document. That is
  /// fetched when the redirect has an `iss`; where it is known to promise one, a redirect without is refused.
  ///
  /// - Parameter isSigned: true if the request asked for a response in a JWT (JARM). Another is refused then.
  package func readRedirect(
    _ url: String, expectedRedirectURI: String? = nil, state: String? = nil, policy: String? = nil,
    isSigned: Bool = false
  ) async throws(OAuthError) -> AuthorizationResponse {
    deviation?.redirected(to: url)
    let outer = try AuthorizationResponse.parameters(of: url, expectedRedirectURI: expectedRedirectURI)
    try checkProfile(redirect: outer)
    // A provider may also sign for a client that is registered for it.
    if isSigned || outer["response"] != nil && outer["code"] == nil && outer["error"] == nil {
      let parameters = try await signedParameters(outer, state: state, policy: policy)
      return try AuthorizationResponse(parameters: parameters, state: state)
    }
    if knownIssuer(policy) == nil, outer["iss"] != nil || requiresIssuerByProfile,
      settings.metadataURL(policy: try resolve(policy, .authorize)) != nil
    {
      _ = try await metadata(policy: policy)
    }
    let known = knownIssuer(policy)
    return try AuthorizationResponse(
      parameters: outer, state: state, issuer: known?.name,
      requiresIssuer: requiresIssuerByProfile || known?.isNamedInRedirects ?? false)
  }

  private func knownIssuer(_ policy: String?) -> (name: String, isNamedInRedirects: Bool)? {
    if let metadata = knownMetadata(policy) { return (metadata.issuer, metadata.namesIssuerInRedirects) }
    return settings.issuer.map { ($0, false) }
  }

  /// The metadata document in memory, fresh or not; nil when it was never fetched.
  func knownMetadata(_ policy: String?) -> ProviderMetadata? {
    guard let url = settings.metadataURL(policy: try? settings.policy(policy)), let json = documents.known(url) else {
      return nil
    }
    return try? ProviderMetadata(
      json, from: url, expectedIssuer: settings.issuer, isExternalID: settings.isExternalID,
      usesAliases: settings.clientCertificate != nil)
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
