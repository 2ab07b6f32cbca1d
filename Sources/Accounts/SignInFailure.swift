import Core
import OAuth

/// A sign-in, or the refresh of an account's tokens, failed.
package struct SignInFailure: Error, Sendable {
  /// How far it came.
  package enum Stage: String, Sendable {
    /// On the way to the redirect: the authorization endpoint, the sign-in page, the redirect itself.
    case authorize
    /// At the token endpoint, in the validation of the ID token, or in storing the account.
    case token
    /// Replacing the tokens of an account that was signed in.
    case refresh

    /// The stage of an error of the OAuth client, or of one that names its stage in its details; any other error counts
    /// as on the way to the redirect.
    package init(of error: any Error) {
      switch (error as? OAuthError)?.stage.rawValue ?? (error as? any Failure)?.details["stage"] {
      case "token", "validation": self = .token
      case "refresh": self = .refresh
      default: self = .authorize
      }
    }
  }

  package let error: any Error
  package let policy: String?
  package let stage: Stage
  package let accountType: String
  /// The account whose tokens could not be refreshed; nil in a sign-in.
  package let account: Account?
  /// Counted from 1 in one sign-in.
  package let attempt: Int
}
