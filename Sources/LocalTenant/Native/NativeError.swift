import HTTPServer
import JSON

/// An error of native authentication, with Microsoft's number if it is documented.
struct NativeError: Error {
  let error: String
  let number: Int?
  let text: String
  var suberror: String?
  /// Further members of the answer.
  var members: [String: JSON] = [:]
  var status = 400

  init(
    _ error: String, _ number: Int?, _ text: String, suberror: String? = nil, members: [String: JSON] = [:],
    status: Int = 400
  ) {
    self.error = error
    self.number = number
    self.text = text
    self.suberror = suberror
    self.members = members
    self.status = status
  }

  /// The error of a check that all endpoints share.
  init(_ error: ProtocolError) {
    self.init(error.error, EntraCode.number(error), error.text, status: error.status)
  }

  func response(_ clock: TenantClock) -> ServerResponse {
    let (trace, correlation) = (GUID.random(), GUID.random())
    var body = members
    body["error"] = .string(error)
    body["error_description"] = .string(
      EntraCode.description(text, number, trace: trace, correlation: correlation, clock))
    body["error_codes"] = .array([number].compactMap { $0.map { .integer(Int64($0)) } })
    body["timestamp"] = .string(clock.timestamp)
    body["trace_id"] = .string(trace)
    body["correlation_id"] = .string(correlation)
    body["suberror"] = suberror.map(JSON.string)
    var headers = ServerResponse.notStored
    if status == 405 { headers.append(("Allow", "POST")) }
    return .json(status, .object(body), headers: headers)
  }
}

extension NativeError {
  static let expiredToken = NativeError("expired_token", 552_003, "The continuation_token is expired.")

  static func invalidToken(_ kind: NativeFlow.Kind) -> NativeError {
    NativeError(
      kind == .reset ? "invalid_request" : "invalid_grant", 55_200, "The continuation_token is invalid.")
  }

  static func missing(_ parameter: String) -> NativeError {
    NativeError("invalid_request", 900_144, "The request body must contain the following parameter: '\(parameter)'.")
  }

  static let wrongCode = NativeError(
    "invalid_grant", 50_181, "Unable to validate the otp.", suberror: "invalid_oob_value")

  static let wrongPassword = NativeError(
    "invalid_grant", 50_126, "Error validating credentials due to invalid username or password.")

  static let locked = NativeError(
    "invalid_grant", 50_053,
    "The account is locked, you've tried to sign in too many times with an incorrect user ID or password.")

  static let unknownUser = NativeError(
    "user_not_found", 50_034,
    "The user account does not exist in the \(Contoso.domain) directory. To sign into this application, the account must "
      + "be added to the directory.")

  static let userExists = NativeError(
    "user_already_exists", 1_003_037, "It looks like you may already have an account. Try to sign in instead.")

  static func grant(_ type: String) -> NativeError {
    NativeError("invalid_grant", nil, "The grant_type '\(type)' is not supported at this point of the flow.")
  }

  /// The error about a new password; nil if the password is good.
  static func password(_ password: String) -> NativeError? {
    func refusal(_ suberror: String, _ text: String, _ number: Int? = nil) -> NativeError {
      NativeError("invalid_grant", number, text, suberror: suberror)
    }
    if password.count < 8 { return refusal("password_too_short", "New password is too short") }
    if password.count > 256 { return refusal("password_too_long", "New password is too long") }
    if password.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7f }) {
      return refusal("password_is_invalid", "New password has characters that are not allowed")
    }
    if ["password", "contoso"].contains(where: password.lowercased().contains) {
      return refusal("password_banned", "New password contains a word that is banned")
    }
    guard password.kindsOfCharacters >= 3 else {
      return refusal("password_too_weak", "New password is too weak", 399_246)
    }
    return nil
  }
}
