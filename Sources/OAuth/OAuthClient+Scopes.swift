import Settings

extension OAuthClient {
  /// Recognizes, before anything is asked, scopes for which Azure AD B2C gives no access token: those that name neither
  /// the application itself nor an API. At another provider any scopes may bring one.
  ///
  /// - Throws: `no_access_token_scopes`
  package nonisolated func checkScopes(_ scopes: [String]) throws(OAuthError) {
    guard settings.namesPolicies, ScopeList(scopes).namesNoAPI else { return }
    throw OAuthError(
      "no_access_token_scopes", .authorize,
      scopes.isEmpty
        ? "no scope is asked for, so Azure AD B2C gives no access token"
        : "Azure AD B2C gives no access token for the scopes \(scopes.joined(separator: " ")), which name no API",
      hint: "\(ScopeList.remedy(settings)); if the ID token is enough, sign in with access_token = false",
      details: ["scopes": scopes.joined(separator: " ")])
  }
}

/// The scopes of a request, seen by what they are for.
struct ScopeList {
  /// Those of OpenID Connect, which ask about the user (Core, 5.4 and 11).
  private static let plain: Set<String> = ["openid", "profile", "email", "address", "phone", "offline_access"]

  let namesNoAPI: Bool

  init(_ scopes: [String]) { namesNoAPI = scopes.allSatisfy(Self.plain.contains) }

  /// What to do when they name no API.
  static func remedy(_ settings: Settings) -> String {
    let client = (try? settings.clientID).map { "the client ID (\($0))" } ?? "the client ID"
    return remedy(client, tenant: settings.tenantName ?? "TENANT.onmicrosoft.com")
  }

  static func remedy(_ client: String, tenant: String) -> String {
    "add \(client) or an API's scope, such as https://\(tenant)/API/SCOPE, to scopes in the settings"
  }
}

extension Settings {
  /// Whether the provider has policies, as Azure AD B2C does and no other.
  var namesPolicies: Bool { (try? policy(nil)) != nil || !policies.isEmpty }

  /// `contoso.onmicrosoft.com`, where an address of the settings has it.
  var tenantName: String? {
    [authority, authURL, tokenURL].compactMap { $0 }.lazy
      .flatMap { $0.split(separator: "/") }.first { $0.lowercased().hasSuffix(".onmicrosoft.com") }.map(String.init)
  }
}
