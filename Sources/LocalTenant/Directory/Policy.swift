/// A user flow of the directory: its kind and the name that clients use for it.
struct Policy: Hashable, Sendable {
  enum Kind: String, Sendable, CaseIterable {
    /// The user signs in or signs up.
    case combined
    case signIn, signUp
    /// The user sets a new password in place of a forgotten one.
    case reset
    /// The user edits their display name.
    case edit
    /// Resource owner password credentials (RFC 6749 §4.3): this policy has the token endpoint and no pages.
    case ropc
    /// Like `combined`, with a second factor for all users.
    case mfa
  }

  /// The name in the claim `tfp`, whose letter case does not depend on the request.
  let name: String
  let kind: Kind
  /// The purpose, as printed in the banner.
  let purpose: String
}
