/// A user flow of the directory: what its pages do, and by which name clients ask for it.
struct Policy: Hashable, Sendable {
  enum Kind: String, Sendable, CaseIterable {
    /// Sign in or sign up.
    case combined
    case signIn, signUp
    /// A new password in place of a forgotten one.
    case reset
    /// The user's own display name.
    case edit
    /// Resource owner password credentials (RFC 6749 §4.3): the token endpoint alone, no pages.
    case ropc
    /// As `combined`, with a second factor for everybody.
    case mfa
  }

  /// `tfp` spells it like this whatever a client writes.
  let name: String
  let kind: Kind
  /// What it is for, as the banner says it.
  let purpose: String
}
