import Core
package import JSON

extension ProviderRun {
  /// Members that name the provider's own places, which an imitation does not have.
  private static let places: Set<String> = ["issuer", "mtls_endpoint_aliases", "op_policy_uri", "op_tos_uri"]
  /// Members that an imitation has, and a provider may lack.
  private static let optional = [
    "code_challenge_methods_supported", "authorization_response_iss_parameter_supported", "registration_endpoint",
    "userinfo_endpoint", "end_session_endpoint", "pushed_authorization_request_endpoint",
    "device_authorization_endpoint", "revocation_endpoint", "introspection_endpoint",
    "backchannel_authentication_endpoint", "dpop_signing_alg_values_supported", "scopes_supported",
  ]

  /// A first profile for `tenant --like`, made from the metadata. Further habits are added by hand.
  /// - Parameter day: `2026-11-28`.
  package func firstProfile(on day: String) -> JSON {
    var changes: [String: JSON] = [:]
    for (name, value) in provider.metadata where !Self.places.contains(name) && !Self.isAddress(value) {
      changes[name] = value
    }
    for name in Self.optional where provider.metadata[name] == nil { changes[name] = .null }
    let url = WebAddress(provider.options.metadataURL)
    let host = String(url.authority.prefix { $0 != ":" })
    var habits: [JSON] = [
      [
        "name": "metadata", "text": "The metadata document of this provider.", "source": .string(url.shown),
        "date": .string(day), "effects": [["metadata": .object(changes)]],
      ]
    ]
    if changes["authorization_response_iss_parameter_supported"] == .null {
      habits.append([
        "name": "no-iss", "text": "The authorization response promises no iss.", "source": .string(url.shown),
        "date": .string(day), "effects": [["callback": ["iss": .null]]],
      ])
    }
    return [
      "title": .string(host), "hosts": [.string(host)], "kind": "external_id", "habits": .array(habits),
    ]
  }

  private static func isAddress(_ value: JSON) -> Bool { value.string?.contains("://") == true }
}
