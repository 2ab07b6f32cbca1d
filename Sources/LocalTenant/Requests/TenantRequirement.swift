/// A feature that the tenant can require of every client, for `tenant.require`.
package enum TenantRequirement: String, Sendable, CaseIterable {
  /// Pushed authorization requests (RFC 9126).
  case par
  /// Signed authorization responses (JARM).
  case jarm
  /// Tokens that are bound to a key (RFC 9449), at the token endpoint and at the task API.
  case dpop
  /// A nonce of the tenant in each proof (RFC 9449, 8 and 9).
  case dpopNonce = "dpop_nonce"
}

extension LocalTenant {
  /// Requires these features from now on, and no others.
  package func require(_ requirements: Set<TenantRequirement>) throws(TenantError) {
    try withEngine { $0.behavior.requirements = requirements }
  }
}
