package import HTTPClient
package import JSON

/// A provider's metadata document (OpenID Connect Discovery, 3).
package struct ProviderMetadata: Sendable {
  package let issuer: String
  package let authorizationEndpoint: String?
  package let tokenEndpoint: String?
  package let endSessionEndpoint: String?
  package let jwksURI: String?
  /// RFC 8628, 4.
  package let deviceAuthorizationEndpoint: String?
  /// RFC 8414, 2.
  package let revocationEndpoint: String?
  /// Whether every redirect must name the issuer (RFC 9207, 3).
  package let namesIssuerInRedirects: Bool
  /// `client_secret_basic` where the document says nothing, as the standard has it.
  package let tokenEndpointAuthMethods: [String]
  /// Those of the token endpoint where the document says nothing.
  package let revocationEndpointAuthMethods: [String]
  /// Empty where the document says nothing.
  package let idTokenSigningAlgorithms: [String]
  /// Everything the document says.
  package let json: JSON

  /// Where the provider's endpoints are.
  package var origins: Set<Origin> {
    let endpoints = [
      authorizationEndpoint, tokenEndpoint, endSessionEndpoint, jwksURI, deviceAuthorizationEndpoint,
      revocationEndpoint,
    ]
    return Set(endpoints.compactMap { $0.flatMap { Origin($0) } })
  }

  /// - Parameters:
  ///   - url: where the document was.
  ///   - expectedIssuer: nil to take the issuers that may have a document there (see `IssuerRule`).
  init(_ json: JSON, from url: String, expectedIssuer: String?) throws(OAuthError) {
    guard json.object != nil else {
      throw OAuthError(
        "malformed_metadata", .metadata, "the metadata document \(url) is not a JSON object",
        hint: DocumentCache.addressHint)
    }
    guard let issuer = json["issuer"]?.string, !issuer.isEmpty else {
      throw OAuthError(
        "malformed_metadata", .metadata, "the metadata document \(url) has no issuer", hint: DocumentCache.addressHint)
    }
    try IssuerRule.check(issuer, from: url, expected: expectedIssuer)
    self.issuer = issuer
    self.json = json
    authorizationEndpoint = try Self.endpoint("authorization_endpoint", json, url)
    tokenEndpoint = try Self.endpoint("token_endpoint", json, url)
    endSessionEndpoint = try Self.endpoint("end_session_endpoint", json, url)
    jwksURI = try Self.endpoint("jwks_uri", json, url)
    deviceAuthorizationEndpoint = try Self.endpoint("device_authorization_endpoint", json, url)
    revocationEndpoint = try Self.endpoint("revocation_endpoint", json, url)
    namesIssuerInRedirects = json["authorization_response_iss_parameter_supported"]?.bool ?? false
    tokenEndpointAuthMethods =
      Self.strings("token_endpoint_auth_methods_supported", json) ?? ["client_secret_basic"]
    revocationEndpointAuthMethods =
      Self.strings("revocation_endpoint_auth_methods_supported", json) ?? tokenEndpointAuthMethods
    idTokenSigningAlgorithms = Self.strings("id_token_signing_alg_values_supported", json) ?? []
  }

  private static func strings(_ name: String, _ json: JSON) -> [String]? {
    json[name]?.array?.compactMap(\.string)
  }

  private static func endpoint(_ name: String, _ json: JSON, _ document: String) throws(OAuthError) -> String? {
    guard let value = json[name], value != .null else { return nil }
    guard let url = value.string, let origin = Origin(url) else {
      throw OAuthError(
        "malformed_metadata", .metadata,
        "\(name) in the metadata document \(document) is not an absolute URL: \(value.encoded())")
    }
    guard origin.scheme == "https" || origin.isLoopback else {
      throw OAuthError(
        "insecure_endpoint", .metadata,
        "\(name) in the metadata document \(document) would send secrets in the clear: \"\(url)\"",
        hint: "the provider must offer https")
    }
    guard !origin.isLoopback || Origin(document)?.isLoopback == true else {
      throw OAuthError(
        "insecure_endpoint", .metadata,
        "\(name) in the metadata document \(document) is on this machine, and the document is not: \"\(url)\"",
        hint: "the provider must name an address of its own")
    }
    return url
  }
}
