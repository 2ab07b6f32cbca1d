package import Settings

/// The scopes without which Azure AD B2C gives no access token. At another provider any scopes may bring one.
package struct AccessTokenScopes {
  private let settings: Settings

  package init(_ settings: Settings) { self.settings = settings }

  /// Throws `no_access_token_scopes`, before anything is asked, for scopes without an access token: they name neither the
  /// application itself nor an API.
  package func check(_ scopes: [String]) throws(OAuthError) {
    guard settings.namesPolicies, Self.nameNoAPI(scopes) else { return }
    throw OAuthError(
      "no_access_token_scopes", .authorize,
      scopes.isEmpty
        ? "the request names no scope, so Azure AD B2C gives no access token"
        : "Azure AD B2C gives no access token for the scopes \(scopes.joined(separator: " ")), which name no API",
      hint: "\(remedy); if the ID token is enough, sign in with access_token = false",
      details: ["scopes": scopes.joined(separator: " ")])
  }

  /// The error about an answer without tokens.
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

  private static func nameNoAPI(_ scopes: [String]) -> Bool {
    let plain: Set<String> = ["openid", "profile", "email", "address", "phone", "offline_access"]
    return scopes.allSatisfy(plain.contains)
  }

  private var remedy: String {
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
