package import Core
package import JOSE

/// A client that is registered at the provider.
package struct ProviderClient: Sendable {
  /// The values of `token_endpoint_auth_method` that the checks can use.
  package enum Method: String, Sendable {
    case none
    case basic = "client_secret_basic"
    case post = "client_secret_post"
    case keyJWT = "private_key_jwt"
  }

  package var id: String
  package var method: Method
  package var secret: Secret?
  package var key: PrivateKey?
  package var redirectURI: String
  /// Separated by spaces.
  package var scope: String
  /// Changes of each authorization request; nil takes a parameter out.
  package var habits: [String: String?] = [:]

  package init(
    id: String, method: Method, secret: Secret? = nil, key: PrivateKey? = nil, redirectURI: String, scope: String
  ) {
    self.id = id
    self.method = method
    self.secret = secret
    self.key = key
    self.redirectURI = redirectURI
    self.scope = scope
  }

  var isConfidential: Bool { method != .none }
}

/// The user of the sign-ins.
package struct ProviderUser: Sendable {
  package let name: String
  package let password: Secret

  package init(name: String, password: Secret) {
    self.name = name
    self.password = password
  }
}
