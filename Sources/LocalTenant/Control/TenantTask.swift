/// A task as the tenant keeps it.
package struct TenantTask: Sendable, Equatable {
  package let id: Int64
  /// The user's `oid`.
  package let owner: String
  package let text: String
  package let isCompleted: Bool
  /// RFC 3339, UTC.
  package let modified: String
}

/// A user as the tenant keeps them.
package struct TenantUser: Sendable, Equatable {
  /// `oid` and `sub` in tokens.
  package let id: String
  package let username: String
  package let email: String
  package let displayName: String
}
