import Core
import HTTPClient
package import HostLoop
import JOSE
import JSON
import Settings

/// The endpoint that gives tokens (RFC 6749, 3.2).
@HostActor
package struct TokenEndpoint: Sendable {
  private let provider: Provider
  private var settings: Settings { provider.settings }

  package nonisolated init(_ provider: Provider) { self.provider = provider }

  /// Sends a token request.
  /// - Throws: the provider's error, whatever its status; `malformed_response`; `unsupported_token_type`;
  ///   `missing_access_token` when the answer has neither an access token nor an ID token.
  package func token(_ request: TokenRequest) async throws(OAuthError) -> TokenSet {
    let isNative = request.parameters["continuation_token"] != nil
    if isNative { try NativeAuthentication(provider).require() }
    let policy = try provider.resolve(request.policy, request.stage)
    let request = request.namingScopes(settings, policy)
    _ = try provider.clientID(request.stage)
    let profile = ProfileChecks(provider)
    try profile.check(request)
    try await profile.check(request.stage, policy: policy)
    let message = try await message(request, policy)
    let (json, response): (JSON, HTTPResponse)
    do { (json, response) = try await message.object() } catch { throw isNative ? NativeError.explained(error) : error }
    if isNative, let refusal = NativeError.redirect(json) { throw refusal }
    var tokens = TokenSet(
      json, to: request, tokenType: settings.tokenType, receivedAt: provider.now(), serverDate: response.date)
    guard tokens.accessToken != nil || tokens.idToken != nil else {
      throw AccessTokenScopes(settings).noAccessToken(request.scopes ?? [])
    }
    try check(&tokens, request)
    try await checkBinding(of: tokens, request.stage)
    tokens.warnings = try (request.details ?? request.authorizedDetails)?.compare(with: tokens, request.stage) ?? []
    profile.remark(on: tokens, to: request)
    if tokens.accessToken != nil, !tokens.isTyped {
      provider.onRemark(
        "the response of the token endpoint \(message.url) has no token_type, which it must have (RFC 6749, 5.1); the token is "
          + "used as \(settings.tokenType)", message.url)
    }
    return tokens
  }

  private func message(_ request: TokenRequest, _ policy: String?) async throws(OAuthError) -> EndpointRequest {
    let endpoint: String
    var methods: [String]?
    if !settings.followsFAPI2, let url = settings.tokenEndpoint(policy: policy) {
      endpoint = url
      methods = await clientAuthenticationMethods(policy)
    } else {
      endpoint = try await provider.address(of: .token, setting: "tokenURL", policy, request.stage)
      methods = try await provider.metadata(policy: policy).authenticationMethods()
    }
    return EndpointRequest(
      provider: provider, name: "the token endpoint", url: endpoint, stage: request.stage, methods: methods,
      fields: request.fields, hint: "check tokenURL and policies in the settings",
      proofKey: request.binding.proofKey, policy: policy)
  }

  /// The ways that the settings name; nil where no document tells. The metadata document is asked only where that
  /// decides: a secret is to be sent, the settings do not say how, and the provider is not Azure AD B2C.
  private func clientAuthenticationMethods(_ policy: String?) async -> [String]? {
    guard settings.clientSecret != nil || settings.clientKey != nil, settings.clientAuthentication == nil,
      !settings.namesPolicies,
      settings.metadataURL(policy: policy) != nil
    else { return nil }
    return try? await provider.metadata(policy: policy).authenticationMethods()
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

  /// Refuses an access token that is bound to another certificate, as far as the token can be read (RFC 8705).
  private func checkBinding(of tokens: TokenSet, _ stage: OAuthError.Stage) async throws(OAuthError) {
    guard let certificate = try await provider.credentials.certificate(stage), let token = tokens.accessToken,
      let bound = (try? JWT(decoding: token.reveal()))?.claims["cnf"]?["x5t#S256"]?.string,
      bound != certificate.thumbprint
    else { return }
    throw .mismatch(
      "unsupported_token_type", stage,
      "the provider gave an access token that is bound to another certificate than the client's (cnf, x5t#S256)",
      expected: certificate.thumbprint, actual: bound,
      hint: "a proxy between this machine and the provider may show its own certificate")
  }
}
