package import HTTPClient
package import JSON

/// A provider's metadata document (OpenID Connect Discovery, 3).
package struct ProviderMetadata: Sendable {
  /// The endpoints that a document names, by the members that do.
  package enum Endpoint: String, CaseIterable, Sendable {
    case authorization = "authorization_endpoint"
    case token = "token_endpoint"
    case endSession = "end_session_endpoint"
    case keys = "jwks_uri"
    /// RFC 8628, 4.
    case deviceAuthorization = "device_authorization_endpoint"
    /// RFC 8414, 2.
    case revocation = "revocation_endpoint"
    /// RFC 9126, 5.
    case pushedRequest = "pushed_authorization_request_endpoint"
    /// RFC 7591, 3.
    case registration = "registration_endpoint"
    /// RFC 7662, 2.
    case introspection = "introspection_endpoint"
    /// OpenID Connect Core, 5.3.
    case userinfo = "userinfo_endpoint"
    /// CIBA Core, 4.
    case backchannelAuthentication = "backchannel_authentication_endpoint"

    /// Only a client shows a certificate.
    fileprivate var isForBrowsers: Bool { self == .authorization || self == .endSession || self == .keys }
    /// True if a sign-in does not need the endpoint, so that its wrong address is an error only when it is used.
    var isApart: Bool { [.introspection, .userinfo, .backchannelAuthentication].contains(self) }
  }

  package let issuer: String
  /// The address of the document.
  let url: String
  /// The whole document.
  package let json: JSON
  private var endpoints: [Endpoint: String] = [:]
  /// The addresses for clients that show a certificate in TLS (RFC 8705, 5).
  private var aliases: [Endpoint: String] = [:]
  /// The reasons why addresses cannot be used.
  private(set) var problems: [Endpoint: OAuthError] = [:]

  /// The address of an endpoint; nil where the document names none.
  package subscript(_ endpoint: Endpoint) -> String? { aliases[endpoint] ?? endpoints[endpoint] }

  /// True for an address that stands for another one in mutual TLS. It may be on a host that nothing else names.
  func isAlias(_ url: String) -> Bool { aliases.values.contains(url) }

  /// The origins of the provider's endpoints, without those of aliases.
  package var origins: Set<Origin> { Set(endpoints.values.compactMap { Origin($0) }) }

  /// True if every redirect must name the issuer (RFC 9207, 3).
  var namesIssuerInRedirects: Bool { json["authorization_response_iss_parameter_supported"]?.bool ?? false }

  /// True if an authorization request must be pushed (RFC 9126, 5).
  var requiresPushedRequests: Bool { json["require_pushed_authorization_requests"]?.bool ?? false }

  /// The ways for a client to authenticate at an endpoint: those of the token endpoint where the document says nothing else,
  /// and `client_secret_basic` where it says nothing at all, as the standard has it.
  func authenticationMethods(at endpoint: Endpoint = .token) -> [String] {
    let own = [.revocation, .introspection].contains(endpoint) ? endpoint : .token
    return strings("\(own.rawValue)_auth_methods_supported") ?? strings("token_endpoint_auth_methods_supported")
      ?? ["client_secret_basic"]
  }

  /// True if an authorization request must be a signed request object (RFC 9101, 10.5).
  var requiresRequestObjects: Bool { json["require_signed_request_object"]?.bool ?? false }

  /// - Parameters:
  ///   - expectedIssuer: nil to take the issuers that may have a document there (see `IssuerRule`).
  ///   - isExternalID: true if the settings say that the provider is Entra External ID.
  ///   - usesAliases: true for a client with a certificate.
  init(_ json: JSON, from url: String, expectedIssuer: String?, isExternalID: Bool = false, usesAliases: Bool = false)
    throws(OAuthError)
  {
    guard let issuer = json["issuer"]?.string, !issuer.isEmpty else {
      throw OAuthError(
        "malformed_metadata", .metadata,
        "the metadata document \(url) \(json.object == nil ? "is not a JSON object" : "has no issuer")",
        hint: DocumentCache.addressHint)
    }
    try IssuerRule.check(issuer, from: url, expected: expectedIssuer, isExternalID: isExternalID)
    self.issuer = issuer
    self.url = url
    self.json = json
    for endpoint in Endpoint.allCases {
      do throws(OAuthError) { endpoints[endpoint] = try Self.endpoint(endpoint.rawValue, json, url) } catch {
        guard endpoint.isApart else { throw error }
        problems[endpoint] = error
      }
    }
    if usesAliases, let list = json["mtls_endpoint_aliases"] {
      for endpoint in Endpoint.allCases where !endpoint.isForBrowsers {
        aliases[endpoint] = try Self.endpoint(endpoint.rawValue, list, url, isAlias: true)
      }
    }
  }

  /// A list of the document; nil where the document says nothing.
  func strings(_ name: String) -> [String]? { json[name]?.array?.compactMap(\.string) }

  private static func endpoint(_ name: String, _ json: JSON, _ document: String, isAlias: Bool = false)
    throws(OAuthError)
    -> String?
  {
    guard let value = json[name], value != .null else { return nil }
    guard let url = value.string, let origin = Origin(url) else {
      throw OAuthError(
        "malformed_metadata", .metadata,
        "\(name) in the metadata document \(document) is not an absolute URL: \(value.encoded())")
    }
    func insecure(_ what: String, hint: String) -> OAuthError {
      OAuthError(
        "insecure_endpoint", .metadata, "\(name) in the metadata document \(document) \(what): \"\(url)\"", hint: hint)
    }
    guard origin.scheme == "https" || origin.isLoopback && !isAlias else {
      throw insecure("would send secrets in the clear", hint: "the provider must offer https")
    }
    guard !origin.isLoopback || Origin(document)?.isLoopback == true else {
      throw insecure(
        "is on this machine, and the document is not", hint: "the provider must name its own address")
    }
    return url
  }
}
