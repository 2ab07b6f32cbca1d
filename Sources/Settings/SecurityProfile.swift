/// A profile of OAuth 2.0 that a sign-in keeps to: the setting `profile`.
package enum SecurityProfile: String, CaseIterable, Sendable {
  /// The draft of OAuth 2.1 (draft-ietf-oauth-v2-1).
  case oauth21 = "oauth2.1"
  /// The FAPI 2.0 Security Profile (final, February 2025).
  case fapi2
}

extension Settings {
  /// The profile that the sign-ins keep to; nil for none.
  package var profile: SecurityProfile? { text(.profile).flatMap(SecurityProfile.init) }
}
