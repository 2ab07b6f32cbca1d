package import JSON
package import Parties

/// The registration of an application, in the words of the provider's own pages.
package struct RegistrationAdvice: Sendable {
  package let title: String
  package let steps: [String]
  package let redirectURL: String
  package let scopes: String
  package let parameters: [String: String]

  /// - Parameter profile: nil for a provider that no profile knows.
  package init(_ profile: PartyProfile?, _ metadata: [String: JSON]) {
    guard let profile, let registration = profile.registration else {
      title = "this provider"
      redirectURL = "http://localhost"
      scopes = Self.isOffline(metadata) ? "openid offline_access" : "openid"
      parameters = [:]
      steps = [
        "Register an application as a native (public) client: without a secret, with PKCE.",
        "Redirect URI: {redirect}. If the provider compares ports, register one with a port and give it as --redirect-url.",
        "Grants: authorization code and refresh token; device code for --flow device_code.",
      ]
      return
    }
    title = profile.title
    steps = registration.steps
    redirectURL = registration.redirectURL
    scopes = registration.scopes
    parameters = registration.parameters
  }

  /// A provider that lists its scopes, and not offline_access, refuses it or does not know it.
  private static func isOffline(_ metadata: [String: JSON]) -> Bool {
    guard let scopes = metadata["scopes_supported"]?.array else { return true }
    return scopes.contains("offline_access")
  }

  /// The steps, one a line.
  package func text(redirectURL: String) -> String {
    let lines = steps.enumerated().map { "  \($0 + 1). \($1.replacing("{redirect}", with: redirectURL))" }
    return "Register an application at \(title):\n" + lines.joined(separator: "\n")
  }
}
