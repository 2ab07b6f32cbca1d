import Settings

extension OAuthClient {
  /// Recognizes, before anything is asked, scopes for which Azure AD B2C gives no access token: those that name neither
  /// the application itself nor an API. At another provider any scopes may bring one.
  ///
  /// - Throws: `no_access_token_scopes`
  package nonisolated func checkScopes(_ scopes: [String]) throws(OAuthError) {
    guard settings.namesPolicies, Self.nameNoAPI(scopes) else { return }
    throw OAuthError(
      "no_access_token_scopes", .authorize,
      scopes.isEmpty
        ? "no scope is asked for, so Azure AD B2C gives no access token"
        : "Azure AD B2C gives no access token for the scopes \(scopes.joined(separator: " ")), which name no API",
      hint: "\(remedy); if the ID token is enough, sign in with access_token = false",
      details: ["scopes": scopes.joined(separator: " ")])
  }

  /// The error about a response without an access token.
  func noAccessToken(_ scopes: [String]) -> OAuthError {
    let asked = scopes.isEmpty ? "no scope was asked for" : "the scopes asked for were \(scopes.joined(separator: " "))"
    let nameNoAPI = Self.nameNoAPI(scopes)
    return OAuthError(
      "missing_access_token", .token,
      "the provider gave no access token; \(asked)\(nameNoAPI ? ", which name no API" : "")",
      hint: nameNoAPI ? remedy : "check that the scopes are of one API and granted to the application",
      details: ["scopes": scopes.joined(separator: " ")])
  }

  /// True if all scopes are those of OpenID Connect, which ask about the user (Core, 5.4 and 11).
  private nonisolated static func nameNoAPI(_ scopes: [String]) -> Bool {
    let plain: Set<String> = ["openid", "profile", "email", "address", "phone", "offline_access"]
    return scopes.allSatisfy(plain.contains)
  }

  private nonisolated var remedy: String {
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
