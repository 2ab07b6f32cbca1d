/// A task in the tenant's database.
package struct TenantTask: Sendable, Equatable {
  package let id: Int64
  /// The user's `oid`.
  package let owner: String
  package let text: String
  package let isCompleted: Bool
  /// RFC 3339, UTC.
  package let modified: String
}

/// A user in the tenant's directory.
package struct TenantUser: Sendable, Equatable {
  /// `oid` and `sub` in tokens.
  package let id: String
  package let username: String
  package let email: String
  package let displayName: String
}
