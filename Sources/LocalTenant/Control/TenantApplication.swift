/// An application that is registered in the tenant's directory.
package struct TenantApplication: Sendable, Equatable {
  /// `client_id`.
  package let id: String
  /// The name on the pages.
  package let name: String
  /// `client_secret`, a published secret for tests. Nil for a public client (RFC 6749 §2.1).
  package let secret: String?

  init(_ application: Application) {
    id = application.id
    name = application.name
    secret = application.secret
  }
}
