import Core

/// Why a run cannot sign in, sign out, or find an account.
package struct SignInError: Failure {
  package enum Kind: String, Sendable {
    /// The flow of the sign-in has ended.
    case flowOver = "flow_over"
    case noAccount = "no_account"
    /// Several accounts go by the name.
    case ambiguousAccount = "ambiguous_account"
    /// The provider did not end the session, or did not revoke the refresh token.
    case signOutFailed = "sign_out_failed"
  }

  package var kind: Kind
  package var message: String
  package var hint: String?
  package var status: Int?

  init(_ kind: Kind, _ message: String, hint: String? = nil, status: Int? = nil) {
    self.kind = kind
    self.message = message
    self.hint = hint
    self.status = status
  }

  package var code: String { kind.rawValue }
}
