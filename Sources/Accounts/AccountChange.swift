/// An account was added, updated or removed.
package struct AccountChange: Sendable {
  package enum Kind: String, Sendable { case added, updated, removed }

  package enum Reason: String, Sendable {
    case signIn = "sign_in"
    case refresh
    case userData = "user_data"
    case signOut = "sign_out"
    /// The provider no longer honors the account's tokens.
    case revoked
  }

  package let kind: Kind
  package let account: Account
  package let reason: Reason
}
