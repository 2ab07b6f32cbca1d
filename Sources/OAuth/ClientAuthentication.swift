import Settings

/// How the client says who it is (RFC 6749, 2.3.1; RFC 7591, 2).
enum ClientAuthentication: String {
  /// Its ID and secret in the header field `Authorization`.
  case basic = "client_secret_basic"
  /// Its ID and secret in the form.
  case post = "client_secret_post"
  /// Its ID alone: a public client.
  case none

  /// The way that the setting `clientAuthentication` names, else the first that the endpoint takes, and where its ways
  /// are unknown, `client_secret_basic` (RFC 7591, 2). Azure AD B2C comes last with basic: Microsoft documents the
  /// secret in the form alone, and the token endpoint's error messages (AADB2C90079) ask for the form's field.
  /// - Throws: `unsupported_client_authentication` when there is a secret and no way to show it that both sides know,
  ///   or a way is set that needs a secret and there is none.
  init(_ settings: Settings, _ request: EndpointRequest) throws(OAuthError) {
    let hasSecret = settings.clientSecret != nil
    if let chosen = settings.clientAuthentication.flatMap(Self.init(rawValue:)) {
      guard chosen == .none || hasSecret else {
        throw OAuthError(
          "unsupported_client_authentication", request.stage,
          "\(settings.source): clientAuthentication is \(chosen.rawValue), and clientSecret is missing",
          hint: "put clientSecret into the settings, or set clientAuthentication to none for a public client")
      }
      self = chosen
      return
    }
    guard hasSecret else {
      self = .none
      return
    }
    let order: [Self] = settings.namesPolicies ? [.post, .basic, .none] : [.basic, .post, .none]
    let known = request.methods ?? order.prefix(1).map(\.rawValue)
    guard let found = order.first(where: { known.contains($0.rawValue) }) else {
      throw .mismatch(
        "unsupported_client_authentication", request.stage,
        "\(request.name) \(request.url) takes no client secret (token_endpoint_auth_methods_supported)",
        expected: "client_secret_post, client_secret_basic or none",
        actual: known.isEmpty ? "none at all" : known.joined(separator: ", "),
        hint:
          "register the application with a client secret, or as a public one and take clientSecret out of the settings")
    }
    self = found
  }
}
