package import Core
import HTTPClient
package import HostLoop
import JSON
import Settings

/// The endpoint that begins a sign-in on another device (RFC 8628, 3.1).
@HostActor
package struct DeviceEndpoint: Sendable {
  private let provider: Provider

  package nonisolated init(_ provider: Provider) { self.provider = provider }

  /// Asks for codes. Nil scopes are those of the settings.
  /// - Parameters:
  ///   - resources: the APIs of the tokens (RFC 8707).
  ///   - details: the requested details (RFC 9396).
  /// - Throws: `missing_endpoint` where the provider has no device flow, as Azure AD B2C has none.
  package func authorization(
    policy: String? = nil, scopes: [String]? = nil, resources: [String] = [], details: AuthorizationDetails? = nil
  ) async throws(OAuthError) -> DeviceAuthorization {
    let policy = try provider.resolve(policy, .authorize)
    let asked = scopes ?? provider.settings.scopes
    var fields = asked.isEmpty ? [] : [("scope", asked.joined(separator: " "))]
    fields += resources.map { ("resource", $0) }
    if let details { fields.append(("authorization_details", details.text)) }
    let request = try await provider.request(
      to: .deviceAuthorization, "the device endpoint", policy, .authorize, fields: fields,
      hint: "Azure AD B2C has no device flow, Microsoft Entra External ID has; sign in with another flow")
    return try DeviceAuthorization(try await request.object().json, from: request.url)
  }
}

/// The codes and addresses that a device shows while the user signs in elsewhere (RFC 8628, 3.2).
package struct DeviceAuthorization: Sendable {
  /// Redeemed at the token endpoint with the grant `urn:ietf:params:oauth:grant-type:device_code`.
  package let deviceCode: Secret
  /// The code that the user types.
  package let userCode: String
  /// The address where the user types it: https, or this machine.
  package let verificationURI: String
  /// The same with the code in it, for a QR code; nil where the provider gives none.
  package let verificationURIComplete: String?
  /// Seconds until both codes expire.
  package let expiresIn: Int
  /// Seconds to wait between two token requests: at least 1, and 5 where the provider does not say.
  package let interval: Int
  /// The provider's own sentence for the user, on one line.
  package let message: String?

  init(_ json: JSON, from endpoint: String) throws(OAuthError) {
    func malformed(_ what: String) -> OAuthError {
      OAuthError("malformed_response", .authorize, "the device endpoint \(endpoint) gave \(what)")
    }
    func text(_ name: String) throws(OAuthError) -> String {
      guard let value = json[name]?.string?.trimmedLines, !value.isEmpty else { throw malformed("no \(name)") }
      return value
    }
    guard let code = json["device_code"]?.string, !code.isEmpty else { throw malformed("no device_code") }
    deviceCode = Secret(code)
    userCode = try text("user_code")
    // Under this name it was in drafts of the RFC, and still is at some providers.
    let name =
      json["verification_uri"] == nil && json["verification_url"] != nil ? "verification_url" : "verification_uri"
    verificationURI = try text(name)
    verificationURIComplete = json["verification_uri_complete"]?.string
    for (name, url) in [(name, verificationURI), ("verification_uri_complete", verificationURIComplete)] {
      guard let url else { continue }
      guard let origin = Origin(url), origin.scheme == "https" || origin.isLoopback else {
        throw malformed("a \(name) that is not an https URL: \"\(url)\"")
      }
    }
    guard let lifetime = json["expires_in"]?.lenientInteger, lifetime > 0 else { throw malformed("no expires_in") }
    expiresIn = Int(lifetime)
    interval = Int(max(json["interval"]?.lenientInteger ?? 5, 1))
    message = json["message"]?.string?.trimmedLines
  }
}
