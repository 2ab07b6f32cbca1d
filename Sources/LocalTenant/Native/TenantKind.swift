/// The kind of directory that the tenant imitates.
package enum TenantKind: String, Sendable, CaseIterable {
  /// Azure AD B2C: addresses name a policy.
  case b2c
  /// Microsoft Entra External ID: addresses without a policy, and native authentication.
  case externalID = "external_id"
}

/// The method by which the users of External ID sign in and sign up.
package enum NativeMethod: String, Sendable, CaseIterable {
  /// The email address and a password; the address of a new user is confirmed by a code.
  case password
  /// The email address and a code that is sent to it.
  case code
}
