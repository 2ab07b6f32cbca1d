/// An endpoint of the native authentication of Microsoft Entra External ID, version 1.
package enum NativeEndpoint: String, CaseIterable, Sendable {
  case initiate, challenge
  case signUpStart = "signup/start"
  case signUpChallenge = "signup/challenge"
  case signUpContinue = "signup/continue"
  case resetStart = "resetpassword/start"
  case resetChallenge = "resetpassword/challenge"
  case resetContinue = "resetpassword/continue"
  case resetSubmit = "resetpassword/submit"
  case resetPoll = "resetpassword/poll_completion"

  /// The path behind the tenant: `oauth2/v2.0/initiate`, `signup/v1.0/start`.
  var path: String {
    let parts = rawValue.split(separator: "/")
    return parts.count == 1 ? "oauth2/v2.0/\(rawValue)" : "\(parts[0])/v1.0/\(parts[1])"
  }

  /// The methods that a request names in `challenge_type` unless its caller chooses others; nil if it names none. The
  /// word `redirect` must be among them, and a password cannot prove who resets it.
  var challengeTypes: String? {
    switch self {
    case .initiate, .challenge, .signUpStart, .signUpChallenge: "oob password redirect"
    case .resetStart, .resetChallenge: "oob redirect"
    case .signUpContinue, .resetContinue, .resetSubmit, .resetPoll: nil
    }
  }
}
