/// The values of `grant_type`.
enum GrantType: String, CaseIterable {
  case authorizationCode = "authorization_code"
  case refreshToken = "refresh_token"
  case password
  case clientCredentials = "client_credentials"
  case assertion = "urn:ietf:params:oauth:grant-type:jwt-bearer"
  case deviceCode = "urn:ietf:params:oauth:grant-type:device_code"
}
