import TenantTexts

/// A sign-in between the authorization request and its answer.
struct SignInTransaction: Expiring {
  static let lifetime = 3600

  /// A random ID, which is a hidden field of the forms.
  let id: String
  let request: AuthorizationRequest
  let scope: Scope
  let details: RichDetails?
  /// The cookie of the browser that started the transaction. A form on another site can neither read nor send it.
  let browser: String
  let expires: Int

  /// The user who was recognized by a password, a session, a mailed code or by signing up.
  var userID: String?
  /// The session that recognized the user; nil if the user typed a password or a code.
  var session: String?
  /// The session that the user may continue or not (`prompt=select_account`).
  var offeredSession: String?
  var hasSecondFactor = false
  /// True if the user has completed the policy's own page, for the profile or the new password.
  var hasFinishedPage = false
  var hasConsented = false
  var verification: Verification?

  var policy: Policy { request.address.policy }
  var texts: Texts { request.texts }
  var allowsSignUp: Bool { [.combined, .mfa, .signUp].contains(policy.kind) }

  /// - Parameter user: the user of `userID`.
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
    if !hasConsented, request.prompts.contains("consent") || details != nil { return .consent }
    return .end
  }

  /// Returns true if the user has an authenticator app, or if the policy or the client requires a second factor.
  private func needsSecondFactor(_ user: User) -> Bool {
    user.otp != nil || policy.kind == .mfa || request.wantsSecondFactor
  }
}

/// The session of a browser, which is the same for all policies of the directory.
struct Session: Expiring {
  static let lifetime = 86_400

  /// `sid` (OpenID Connect Front-Channel Logout 1.0 §3). Unlike the value of the cookie, it is not secret.
  let id = GUID.random()
  let userID: String
  let authTime: Int
  /// The tenant's elapsed time when the session was opened.
  let opened: Int
  let expires: Int
  var hasSecondFactor = false
  /// The applications of the session, with the `iss` that each of them knows.
  var issuers: [String: String] = [:]
}

struct Verification {
  enum Method {
    /// The user has an authenticator app.
    case app
    case message(TenantMessage.Kind, to: String)
  }

  /// The lifetime of a sent code, in seconds by the tenant's clock.
  static let lifetime = 300
  /// The number of wrong codes that ends a sign-in.
  static let attemptLimit = 5

  let userID: String
  let method: Method
  /// The code; nil with an authenticator app, which makes its own.
  var code: String?
  var expires: Int
  var attempts = 0
  /// True if a new code was sent and the page has not reported it yet.
  var isRenewed = false
}

enum SignInStep {
  case accountChoice, signIn, signUp
  /// The user names the account whose password is reset, then enters the mailed code.
  case accountName, mailCode
  case secondFactor
  case newPassword, profile
  case consent
  case end
}
