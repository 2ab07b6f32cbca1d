import Core
import JSON

/// The errors of native authentication. Entra's numbers in `error_description` vary for the same error, so the code of an
/// error is its `suberror`, or else its `error`.
enum NativeError {
  /// The error for an answer that sends the user to a browser; nil for another answer.
  static func redirect(_ json: JSON) -> OAuthError? {
    guard json["challenge_type"]?.string == "redirect" else { return nil }
    return redirect(because: json["redirect_reason"]?.string)
  }

  /// The provider's error, with a code and a hint for native authentication.
  static func explained(_ error: OAuthError) -> OAuthError {
    guard let name = error.details["error"] else { return error }
    let suberror = error.details["suberror"]
    if let suberror, ["mfa_required", "registration_required"].contains(suberror) {
      return redirect(because: "a second factor, which this program cannot ask for (\(suberror))", error)
    }
    var error = error
    error.code = suberror ?? name
    if let attributes = error.details["invalid_attributes"].flatMap({ try? JSON(parsing: $0) })?.array {
      let names = attributes.compactMap { $0["name"]?.string }
      if !names.isEmpty { error.message += ": \(names.joined(separator: ", ").displayable)" }
    }
    if let hint = hints[error.code] ?? hints[name] { error.hint = hint }
    return error
  }

  private static func redirect(because reason: String?, _ cause: OAuthError? = nil) -> OAuthError {
    var details = cause?.details ?? [:]
    details["redirect_reason"] = reason
    let because = reason.map { " (\($0.displayable))" } ?? ""
    return OAuthError(
      "redirect", .token, "the provider wants this user to sign in with a browser\(because)",
      hint: "sign in with flow = \"authorization_code\"", status: cause?.status, details: details)
  }

  private static let newPassword =
    "choose another password: 8 to 256 characters, and three of the four kinds of characters"

  private static let hints: [String: String] = [
    "user_not_found": "check the user name, or sign up with sign_up = true",
    "user_already_exists": "sign in without sign_up, or reset the password with reset = true",
    "invalid_oob_value": "check the code in the latest message; the codes before it are not valid any more",
    "invalid_grant": "check the user name and the password, then sign in again from the beginning",
    "expired_token": "the sign-in took too long; sign in again from the beginning",
    "unsupported_challenge_type": "challenge_type must contain the word redirect",
    "nativeauthapi_disabled": "enable native authentication where the application is registered",
    "unauthorized_client": "check clientID in the settings",
    "attribute_validation_failed": "correct the values of these attributes",
    "password_too_weak": newPassword, "password_too_short": newPassword, "password_too_long": newPassword,
    "password_banned": "choose a password without common words and without the tenant's name",
    "password_recently_used": "choose a password that is not one of the last passwords",
    "password_is_invalid": "choose a password without unusual characters",
  ]
}
