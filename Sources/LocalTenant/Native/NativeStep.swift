import HTTPServer

/// A request of native authentication, by the path behind the tenant.
enum NativeStep: String, CaseIterable {
  case initiate = "oauth2/v2.0/initiate"
  case challenge = "oauth2/v2.0/challenge"
  /// The token endpoint, for requests with a continuation token.
  case token = "oauth2/v2.0/token"
  case signUpStart = "signup/v1.0/start"
  case signUpChallenge = "signup/v1.0/challenge"
  case signUpContinue = "signup/v1.0/continue"
  case resetStart = "resetpassword/v1.0/start"
  case resetChallenge = "resetpassword/v1.0/challenge"
  case resetContinue = "resetpassword/v1.0/continue"
  case resetSubmit = "resetpassword/v1.0/submit"
  case resetPoll = "resetpassword/v1.0/poll_completion"

  /// The step that a request belongs to; nil for other requests, among them other requests to the token endpoint.
  init?(_ request: ServerRequest) {
    guard let step = Self.allCases.first(where: { request.path.hasSuffix("/\($0.rawValue)") }) else { return nil }
    if step == .token, !Self.isNative(request) { return nil }
    self = step
  }

  /// True if a request to the token endpoint belongs to native authentication.
  static func isNative(_ request: ServerRequest) -> Bool {
    request.form.contains {
      $0.0 == "continuation_token" || $0.0 == "grant_type" && ["oob", "continuation_token"].contains($0.1)
    }
  }

  var flow: NativeFlow.Kind {
    switch self {
    case .initiate, .challenge, .token: .signIn
    case .signUpStart, .signUpChallenge, .signUpContinue: .signUp
    case .resetStart, .resetChallenge, .resetContinue, .resetSubmit, .resetPoll: .reset
    }
  }
}
