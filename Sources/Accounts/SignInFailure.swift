/// A sign-in, or the refresh of an account's tokens, failed.
package struct SignInFailure: Sendable {
  /// Where it failed.
  package enum Stage: String, Sendable {
    /// On the way to the redirect: the authorization endpoint, the sign-in page, the redirect itself.
    case authorize
    /// At the token endpoint, in the validation of the ID token, or in storing the account.
    case token
    /// Replacing the tokens of an account that was signed in.
    case refresh
  }

  package let error: any Error
  package let policy: String?
  package let stage: Stage
  package let accountType: String
  /// The account whose tokens could not be refreshed; nil in a sign-in.
  package let account: Account?
  /// Counted from 1 in one sign-in.
  package let attempt: Int
  /// What the attempt was made with; nil for a refresh.
  package let options: SignInOptions?
}
