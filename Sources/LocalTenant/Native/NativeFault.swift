import HTTPServer

/// A wrong or unusual answer of native authentication, for `tenant.fault { native = … }`.
package enum NativeFault: String, Sendable, CaseIterable {
  /// The answer that sends the user to a browser.
  case redirect
  /// The demand for a second factor, from the token endpoint.
  case mfaRequired = "mfa_required"
  case registrationRequired = "registration_required"
  case expiredToken = "expired_token"
  case invalidToken = "invalid_token"
  /// An answer without the continuation token for the next request.
  case missingToken = "missing_token"
  /// The password of a reset is still being stored.
  case inProgress = "in_progress"
  /// The password of a reset could not be stored.
  case failed

  /// Returns true if the fault can happen to this request.
  func applies(to request: ServerRequest) -> Bool {
    guard let step = NativeStep(request) else { return false }
    return switch self {
    case .redirect: true
    case .mfaRequired, .registrationRequired: step == .token
    case .expiredToken, .invalidToken: ![.initiate, .signUpStart, .resetStart].contains(step)
    case .missingToken: step != .token
    case .inProgress, .failed: step == .resetPoll
    }
  }
}
