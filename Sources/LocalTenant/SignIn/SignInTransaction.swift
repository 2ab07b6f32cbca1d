/// A sign-in between the authorization request and its answer.
struct SignInTransaction {
  /// Cannot be guessed; a hidden field of the forms.
  let id: String
  let request: AuthorizationRequest
  let scope: Scope
  /// What the browser that began it has as a cookie: a form of another site can neither read nor send it.
  let browser: String
  let expires: Int

  /// Who has been recognized: by a password, a session, a code in the mailbox, or as someone new.
  var userID: String?
  /// The session that recognized the user; nil when they have typed something for it.
  var session: String?
  /// The session that the user may go on with, or not (`prompt=select_account`).
  var offeredSession: String?
  var hasSecondFactor = false
  /// Whether the policy's own page, for the profile or the new password, has been filled in.
  var hasFinishedPage = false
  var hasConsented = false
  /// The code that is being waited for.
  var verification: Verification?

  var policy: Policy { request.address.policy }
  var texts: Texts { request.texts }
  /// Whether someone may sign up here.
  var allowsSignUp: Bool { [.combined, .mfa, .signUp].contains(policy.kind) }
}

/// A code that a user is asked for.
struct Verification {
  enum Method {
    /// An authenticator app.
    case app
    case message(TenantMessage.Kind, to: String)
  }

  /// Seconds by the tenant's clock that a code which was sent is good for.
  static let lifetime = 300
  /// Wrong codes that end a sign-in.
  static let attemptLimit = 5

  let userID: String
  let method: Method
  /// Nil with an app, which makes its own.
  var code: String?
  var expires: Int
  var attempts = 0
  /// Whether a code was sent again, to be told once.
  var isRenewed = false
}

/// What has to happen next in a sign-in.
enum SignInStep {
  case accountChoice, signIn, signUp
  /// Whose password is to be reset, and the code sent to them.
  case accountName, mailCode
  case secondFactor
  case newPassword, profile
  case consent
  /// All is there for the answer.
  case end
}

extension SignInTransaction {
  /// - Parameter user: the one of `userID`.
  func step(_ user: User?) -> SignInStep {
    guard let user else {
      if offeredSession != nil { return .accountChoice }
      switch policy.kind {
      case .signUp: return .signUp
      case .reset: return verification == nil ? .accountName : .mailCode
      case .combined, .signIn, .edit, .mfa, .ropc: return .signIn
      }
    }
    if !hasSecondFactor, needsSecondFactor(user) { return .secondFactor }
    if !hasFinishedPage, policy.kind == .edit { return .profile }
    if !hasFinishedPage, policy.kind == .reset { return .newPassword }
    if !hasConsented, request.prompts.contains("consent") { return .consent }
    return .end
  }

  /// Users with an authenticator app always do; others where the policy or the client wants it.
  private func needsSecondFactor(_ user: User) -> Bool {
    user.otp != nil || policy.kind == .mfa || request.wantsSecondFactor
  }
}
