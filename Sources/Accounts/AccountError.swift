package import Core

/// An error of the account store, its key, its accounts or their tokens.
package struct AccountError: Failure {
  package enum Kind: String, Sendable {
    /// The file is there but is not an account store, or no longer a sound one.
    case storeDamaged = "store_damaged"
    /// A newer version of this program wrote the store.
    case storeTooNew = "store_too_new"
    /// The store's file or folder cannot be opened, made or written.
    case storeUnusable = "store_unusable"
    /// The key that seals the tokens is missing, damaged, or readable by others.
    case keyUnusable = "key_unusable"
    /// The vault that was asked for is not there, is locked, or does not hold the key.
    case vaultUnusable = "vault_unusable"
    /// Sealed tokens do not open with the key at hand.
    case tokensUnreadable = "tokens_unreadable"
    /// Another process changed the same account meanwhile.
    case conflict = "account_changed"
    /// The account is no longer in the store.
    case removed = "account_removed"
    /// No sign-in result can become an account without a subject.
    case noSubject = "no_subject"
    /// Nothing is left that yields an access token without the user.
    case signInRequired = "sign_in_required"
    /// The provider gave no access token at all.
    case noAccessToken = "no_access_token"
    /// The last renewal failed, and the provider is not asked again for a while.
    case refreshPaused = "refresh_paused"
    /// No key was saved under the name.
    case noKey = "no_key"
    /// No secret was kept under the name.
    case noSecret = "no_secret"
    /// The run that opened the store has ended.
    case runEnded = "run_ended"
    /// The account or key is another provider's, and the run may not open it.
    case otherProvider = "other_provider"
    /// Another process holds the refresh of this account for too long.
    case refreshBusy = "refresh_busy"
    /// The key of this machine is not the one that the group's tokens in a shared store are sealed with, or there is none.
    case otherGroup = "other_group"
    /// The store that accounts are moved to has some already.
    case notEmpty = "store_not_empty"
    /// The task was canceled while it waited for the store.
    case canceled
  }

  package var kind: Kind
  package var message: String
  package var hint: String?
  /// The error of the database, whose code counts; nil for the store's own.
  package private(set) var cause: (any Failure)?

  package init(_ kind: Kind, _ message: String, hint: String? = nil, cause: (any Failure)? = nil) {
    self.kind = kind
    self.message = message
    self.hint = hint
    self.cause = cause
  }

  /// The error of work that outlives its run.
  package static let runEnded = AccountError(.runEnded, "the run has ended")

  package var code: String { cause?.code ?? kind.rawValue }
  package var isRetryable: Bool {
    kind == .conflict || kind == .refreshBusy || kind == .refreshPaused || cause?.isRetryable == true
  }
  package var details: [String: String] { cause?.details ?? [:] }
}
