import Secrets

/// How the client says who it is (RFC 6749, 2.3.1).
enum ClientAuthentication: Equatable {
  /// `client_secret_basic`
  case basic
  /// `client_secret_post`
  case post
  /// Its ID alone: a public client.
  case none

  /// - Throws: `unsupported_client_authentication` when there is a secret and no way to show it that both sides know.
  init(_ secret: Secret?, _ request: EndpointRequest) throws(OAuthError) {
    guard secret != nil else {
      self = .none
      return
    }
    if request.methods.contains("client_secret_post") {
      self = .post
    } else if request.methods.contains("client_secret_basic") {
      self = .basic
    } else if request.methods.contains("none") {
      self = .none
    } else {
      throw .mismatch(
        "unsupported_client_authentication", request.stage,
        "\(request.name) \(request.url) takes no client secret (token_endpoint_auth_methods_supported)",
        expected: "client_secret_post, client_secret_basic or none",
        actual: request.methods.isEmpty ? "none at all" : request.methods.joined(separator: ", "),
        hint:
          "register the application with a client secret, or as a public one and take clientSecret out of the settings"
      )
    }
  }
}
