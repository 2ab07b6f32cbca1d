package import Core
import HTTPClient
import HostLoop
import JSON
import Settings

extension OAuthClient {
  /// Sends a token request (RFC 6749, 3.2).
  /// - Throws: the provider's error, whatever its status; `malformed_response`; `unsupported_token_type`;
  ///   `missing_access_token` when the answer has neither an access token nor an ID token.
  package func token(_ request: TokenRequest) async throws(OAuthError) -> TokenSet {
    let isNative = request.parameters["continuation_token"] != nil
    if isNative { try requireNative() }
    let policy = try resolve(request.policy, request.stage)
    let request = request.namingScopes(settings, policy)
    _ = try clientID(request.stage)
    try checkProfile(request)
    try await checkProfile(request.stage, policy: policy)
    let endpoint: String
    var methods: [String]?
    if !usesMetadataAlone, let url = settings.tokenEndpoint(policy: policy) {
      endpoint = url
      methods = await clientAuthenticationMethods(policy)
    } else {
      endpoint = try await self.endpoint(.token, setting: "tokenURL", policy, request.stage)
      methods = try await metadata(policy: policy).tokenEndpointAuthMethods
    }
    var fields = [("grant_type", request.grantType)]
    fields += request.parameters.sorted { $0.key < $1.key }.filter { $0.key != "grant_type" }
    if let scopes = request.scopes, !scopes.isEmpty, request.parameters["scope"] == nil {
      fields.append(("scope", scopes.joined(separator: " ")))
    }
    if !request.binding.resources.isEmpty {
      fields.removeAll { $0.0 == "resource" }
      fields += request.binding.resources.map { ("resource", $0) }
    }
    if let details = request.details { fields.append(("authorization_details", details.text)) }
    let message = EndpointRequest(
      name: "the token endpoint", url: endpoint, stage: request.stage, methods: methods, fields: fields,
      hint: "check tokenURL and policies in the settings", proofKey: request.binding.proofKey, policy: policy)
    let (json, response): (JSON, HTTPResponse)
    do { (json, response) = try await object(message) } catch { throw isNative ? NativeError.explained(error) : error }
    if isNative, let refusal = NativeError.redirect(json) { throw refusal }
    var tokens = TokenSet(
      json, to: request, tokenType: settings.tokenType, receivedAt: now(), serverDate: response.date)
    guard tokens.accessToken != nil || tokens.idToken != nil else { throw noAccessToken(request.scopes ?? []) }
    try check(&tokens, request)
    try await checkBinding(of: tokens, request.stage)
    tokens.warnings = try compare(tokens, with: request.details ?? request.authorizedDetails, request)
    remark(on: tokens, to: request)
    if tokens.accessToken != nil, !tokens.isTyped {
      onRemark?(
        "the response of the token endpoint \(endpoint) has no token_type, which it must have (RFC 6749, 5.1); the token is used "
          + "as \(settings.tokenType)", endpoint)
    }
    return tokens
  }

  /// The ways that the settings name; nil where no document tells. The metadata document is asked only where that
  /// decides: a secret is to be sent, the settings do not say how, and the provider is not Azure AD B2C.
  private func clientAuthenticationMethods(_ policy: String?) async -> [String]? {
    guard settings.clientSecret != nil || settings.clientKey != nil, settings.clientAuthentication == nil,
      !settings.namesPolicies,
      settings.metadataURL(policy: policy) != nil
    else { return nil }
    return try? await metadata(policy: policy).tokenEndpointAuthMethods
  }

  /// Refuses types other than the one the settings name (RFC 6749, 7.1), whose name comes in any letter case.
  /// Tokens of a request with a proof are of the type DPoP (RFC 9449, 5), whatever the settings name.
  private func check(_ tokens: inout TokenSet, _ request: TokenRequest) throws(OAuthError) {
    guard tokens.accessToken != nil else { return }
    let isBound = request.binding.proofKey != nil
    // A token exchange also gives tokens that are no access tokens (RFC 8693, 2.2.1).
    if !isBound, request.grantType == TokenExchange.grantType, tokens.tokenType == TokenSet.noType { return }
    let type = isBound ? "DPoP" : settings.tokenType
    guard tokens.tokenType.lowercased() == type.lowercased() else {
      throw .mismatch(
        "unsupported_token_type", request.stage,
        isBound
          ? "the provider gave an access token that is not bound to the key of the proof (token_type)"
          : "the provider gave an access token that cannot be used here (token_type)",
        expected: "\"\(type)\"", actual: tokens.isTyped ? "\"\(tokens.tokenType)\"" : "none",
        hint: isBound
          ? "the provider does not use DPoP for this application: sign in without dpop, or register it for DPoP"
          : "register the application for bearer tokens, or sign in with dpop = true for DPoP tokens")
    }
    tokens.tokenType = type
  }

  /// Makes the provider forget a token (RFC 7009). Returns false where the metadata names no revocation endpoint, as
  /// that of Azure AD B2C does.
  /// - Parameter hint: `refresh_token` or `access_token`.
  package func revoke(_ token: Secret, hint: String? = "refresh_token", policy: String? = nil) async throws(OAuthError)
    -> Bool
  {
    let policy = try resolve(policy, .token)
    guard settings.metadataURL(policy: policy) != nil else { return false }
    let metadata = try await metadata(policy: policy)
    guard let endpoint = metadata[.revocation] else { return false }
    let request = EndpointRequest(
      name: "the revocation endpoint", url: endpoint, stage: .token, methods: metadata.revocationEndpointAuthMethods,
      fields: [("token", token.reveal())] + (hint.map { [("token_type_hint", $0)] } ?? []), policy: policy)
    let response = try await send(request)
    // Whatever a success has in its body says nothing (RFC 7009, 2.2).
    guard response.status != 200 else { return true }
    throw failure(response, request)
  }

  /// Begins a sign-in on another device (RFC 8628, 3.1). Nil scopes are those of the settings.
  /// - Parameters:
  ///   - resources: the APIs that tokens are asked for (RFC 8707).
  ///   - details: the details of what is asked for (RFC 9396).
  /// - Throws: `missing_endpoint` where the provider has no device flow, as Azure AD B2C has none.
  package func deviceAuthorization(
    policy: String? = nil, scopes: [String]? = nil, resources: [String] = [], details: AuthorizationDetails? = nil
  ) async throws(OAuthError) -> DeviceAuthorization {
    let policy = try resolve(policy, .authorize)
    let endpoint: String
    do {
      endpoint = try await self.endpoint(.deviceAuthorization, setting: nil, policy, .authorize)
    } catch var error where error.code == "missing_endpoint" {
      error.hint = "Azure AD B2C has no device flow, Microsoft Entra External ID has; sign in with another flow"
      throw error
    }
    let methods = try await metadata(policy: policy).tokenEndpointAuthMethods
    let asked = scopes ?? settings.scopes
    var fields = asked.isEmpty ? [] : [("scope", asked.joined(separator: " "))]
    fields += resources.map { ("resource", $0) }
    if let details { fields.append(("authorization_details", details.text)) }
    let request = EndpointRequest(
      name: "the device endpoint", url: endpoint, stage: .authorize, methods: methods, fields: fields, policy: policy)
    return try DeviceAuthorization(try await object(request).json, from: endpoint)
  }

  /// Throws `no_access_token_scopes`, before anything is asked, for scopes without an access token at Azure AD B2C:
  /// they name neither the application itself nor an API. At another provider any scopes may bring one.
  package nonisolated func checkScopes(_ scopes: [String]) throws(OAuthError) {
    guard settings.namesPolicies, Self.nameNoAPI(scopes) else { return }
    throw OAuthError(
      "no_access_token_scopes", .authorize,
      scopes.isEmpty
        ? "the request names no scope, so Azure AD B2C gives no access token"
        : "Azure AD B2C gives no access token for the scopes \(scopes.joined(separator: " ")), which name no API",
      hint: "\(remedy); if the ID token is enough, sign in with access_token = false",
      details: ["scopes": scopes.joined(separator: " ")])
  }

  func noAccessToken(_ scopes: [String]) -> OAuthError {
    let asked =
      scopes.isEmpty ? "the request named no scope" : "the scopes asked for were \(scopes.joined(separator: " "))"
    let nameNoAPI = Self.nameNoAPI(scopes)
    return OAuthError(
      "missing_access_token", .token,
      "the provider gave no access token; \(asked)\(nameNoAPI ? ", which name no API" : "")",
      hint: nameNoAPI ? remedy : "check that the scopes are of one API and granted to the application",
      details: ["scopes": scopes.joined(separator: " ")])
  }

  private nonisolated static func nameNoAPI(_ scopes: [String]) -> Bool {
    let plain: Set<String> = ["openid", "profile", "email", "address", "phone", "offline_access"]
    return scopes.allSatisfy(plain.contains)
  }

  private nonisolated var remedy: String {
    let client = (try? settings.clientID).map { "the client ID (\($0))" } ?? "the client ID"
    let tenant = settings.tenantName ?? "TENANT.onmicrosoft.com"
    return "add \(client) or an API's scope, such as https://\(tenant)/API/SCOPE, to scopes in the settings"
  }
}

extension Settings {
  /// True if the provider has policies, as Azure AD B2C does and no other.
  var namesPolicies: Bool { (try? policy(nil)) != nil || !policies.isEmpty }

  /// `contoso.onmicrosoft.com`, where an address of the settings has it.
  fileprivate var tenantName: String? {
    [authority, authURL, tokenURL].compactMap { $0 }.lazy.flatMap { $0.split(separator: "/") }.first {
      $0.lowercased().hasSuffix(".onmicrosoft.com")
    }.map(String.init)
  }
}
