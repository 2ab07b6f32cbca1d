import Settings

/// How the client says who it is (RFC 6749, 2.3.1; RFC 7591, 2).
enum ClientAuthentication: String {
  /// Its ID and secret in the header field `Authorization`.
  case basic = "client_secret_basic"
  /// Its ID and secret in the form.
  case post = "client_secret_post"
  /// An assertion that is authenticated with its secret (RFC 7523).
  case secretJWT = "client_secret_jwt"
  /// An assertion that its private key signs (RFC 7523).
  case keyJWT = "private_key_jwt"
  /// A certificate of a known issuer, in TLS (RFC 8705, 2.1).
  case certificate = "tls_client_auth"
  /// A certificate that is registered itself (RFC 8705, 2.2).
  case selfSignedCertificate = "self_signed_tls_client_auth"
  /// Its ID alone: a public client.
  case none

  var isAssertion: Bool { self == .secretJWT || self == .keyJWT }
  var isCertificate: Bool { self == .certificate || self == .selfSignedCertificate }

  /// The way that the setting `clientAuthentication` names, else the first that the endpoint takes, and where its ways
  /// are unknown, `client_secret_basic` (RFC 7591, 2). Azure AD B2C comes last with basic: Microsoft documents the
  /// secret in the form alone, and the token endpoint's error messages (AADB2C90079) ask for the form's field.
  /// - Throws: `unsupported_client_authentication` when there is a secret or key and no way to show it that both sides
  ///   know, or a way is set that needs one and there is none.
  init(_ settings: Settings, _ request: EndpointRequest) throws(OAuthError) {
    let hasSecret = settings.clientSecret != nil
    let hasKey = settings.clientKey != nil
    let hasCertificate = settings.clientCertificate != nil
    if let chosen = settings.clientAuthentication.flatMap(Self.init(rawValue:)) {
      if let (setting, way) = chosen.missingSetting(settings) {
        throw OAuthError(
          "unsupported_client_authentication", request.stage,
          "\(settings.source): clientAuthentication is \(chosen.rawValue), and \(setting) is missing",
          hint: "put \(setting) into the settings\(way)")
      }
      guard !chosen.isCertificate || request.url.hasPrefix("https:") else {
        throw OAuthError(
          "unsupported_client_authentication", request.stage,
          "\(request.name) \(request.url) is not https, and only TLS shows the certificate of \(chosen.rawValue)",
          hint: "the provider must offer https; the local tenant does with b2c-run tenant --tls")
      }
      self = chosen
      return
    }
    if hasKey, settings.profile == .fapi2 {
      self = .keyJWT
      return
    }
    guard hasSecret || hasKey else {
      // Both say the client's ID alone in the request.
      self = hasCertificate ? .certificate : .none
      return
    }
    let secrets: [Self] = settings.namesPolicies ? [.post, .basic, .secretJWT] : [.basic, .post, .secretJWT]
    let order = (hasSecret ? secrets : []) + (hasKey ? [.keyJWT] : []) + [.none]
    let known = request.methods ?? order.prefix(1).map(\.rawValue)
    // A document that lists nothing means client_secret_basic, and its writer may not have thought of keys.
    let listsNothing = !hasSecret && known == [Self.basic.rawValue]
    guard let found = listsNothing ? .keyJWT : order.first(where: { known.contains($0.rawValue) }) else {
      throw .mismatch(
        "unsupported_client_authentication", request.stage,
        "\(request.name) \(request.url) takes no client \(hasSecret ? "secret" : "key") (token_endpoint_auth_methods_supported)",
        expected: hasSecret ? "client_secret_post, client_secret_basic or none" : "private_key_jwt or none",
        actual: known.isEmpty ? "none at all" : known.joined(separator: ", "),
        hint: hasSecret
          ? "register the application with a client secret, or as a public one and take clientSecret out of the settings"
          : "register the application with a key, or as a public one and take clientKey out of the settings")
    }
    self = found
  }

  /// The setting that the way needs and that is not there, with more advice about it.
  private func missingSetting(_ settings: Settings) -> (name: String, way: String)? {
    switch self {
    case .basic, .post, .secretJWT:
      settings.clientSecret == nil ? ("clientSecret", ", or set clientAuthentication to none for a public client") : nil
    case .keyJWT: settings.clientKey == nil ? ("clientKey", ": the file of the private key, or stored:NAME") : nil
    case .certificate, .selfSignedCertificate:
      settings.clientCertificate == nil
        ? ("clientCertificate", ", the file of the certificate, and clientCertificateKey") : nil
    case .none: nil
    }
  }
}
