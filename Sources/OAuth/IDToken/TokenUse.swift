/// The use of a signed token, which decides about the claims that it must have.
package enum TokenUse: String, CaseIterable, Sendable {
  /// `iss`, `sub`, `aud`, `exp`, `iat` (OpenID Connect Core, 2).
  case idToken = "id_token"
  /// `iss`, `aud`, `iat`, `jti`, `events`, and `sub` or `sid`; never `nonce` (OpenID Connect Back-Channel Logout, 2.4).
  case logoutToken = "logout_token"
  /// An authorization response: `iss`, `aud`, `exp` (JARM, 2.1).
  case jarm
  /// Any other token for this client: `iss`, `aud`, `exp`.
  case jwt
  /// An introspection response: `iss`, `aud`, `iat`, and the type `token-introspection+jwt` (RFC 9701, 5).
  case introspection
  /// A userinfo response: `iss`, `aud`, `sub` (OpenID Connect Core, 5.3.2).
  case userinfo

  /// A token whose `typ` says what it is for may not pass for an ID token (RFC 8725, 3.11).
  func allows(type: String) -> Bool {
    let type = type.lowercased()
    return switch self {
    case .idToken: !type.hasSuffix("+jwt")
    case .logoutToken: !type.hasSuffix("+jwt") || type == "logout+jwt"
    case .jarm: !type.hasSuffix("+jwt") || type == "oauth-authz-res+jwt"
    case .jwt: true
    case .introspection: type == requiredType
    case .userinfo: !type.hasSuffix("+jwt")
    }
  }

  /// The value that `typ` must have; nil if `typ` may be left out.
  var requiredType: String? { self == .introspection ? "token-introspection+jwt" : nil }

  /// The answer that the token is, in the names of the metadata document's lists; nil for another token.
  var signedAnswer: String? {
    switch self {
    case .jarm: "authorization"
    case .introspection, .userinfo: rawValue
    case .idToken, .logoutToken, .jwt: nil
    }
  }

  /// True if the token may come without `exp`.
  var isWithoutExpiry: Bool { [.logoutToken, .introspection, .userinfo].contains(self) }

  var noun: String {
    switch self {
    case .idToken: "ID token"
    case .logoutToken: "logout token"
    case .jarm: "authorization response"
    case .jwt: "JWT"
    case .introspection: "introspection response"
    case .userinfo: "userinfo response"
    }
  }
}
