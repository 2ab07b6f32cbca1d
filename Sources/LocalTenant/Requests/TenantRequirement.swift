/// A feature that the tenant can require of every client, for `tenant.require`.
package enum TenantRequirement: String, Sendable, CaseIterable {
  /// Pushed authorization requests (RFC 9126).
  case par
  /// Signed authorization responses (JARM).
  case jarm
}

extension LocalTenant {
  /// Requires these features from now on, and no others.
  package func require(_ requirements: Set<TenantRequirement>) throws(TenantError) {
    try withEngine { $0.behavior.requirements = requirements }
  }
}
