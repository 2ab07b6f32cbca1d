import Core
import HTTPClient

extension EndpointRequest {
  /// What stands in such a field is as good as a password.
  private static let fields: Set<String> = [
    "actor_token", "assertion", "client_assertion", "client_secret", "code", "code_verifier", "device_code",
    "password", "refresh_token", "subject_token", "token",
  ]

  /// The secrets that the request carries, for the messages about its response: a provider may repeat them.
  /// - Parameters:
  ///   - message: the request as it was sent.
  ///   - clientSecret: what the client may have identified itself with.
  func redactor(_ message: HTTPRequest?, _ clientSecret: Secret?) -> Redactor {
    var secrets = fields.filter { Self.fields.contains($0.0) }.map(\.1) + [clientSecret?.reveal()].compactMap(\.self)
    if let credentials = message?.headers["Authorization"] {
      secrets += credentials.split(separator: " ").dropFirst().map(String.init)
    }
    return Redactor(secrets)
  }
}

extension OAuthError {
  /// The same without the secrets of a set.
  func cleaned(by redactor: Redactor) -> OAuthError {
    var error = self
    error.message = redactor.clean(message)
    error.hint = hint.map(redactor.clean)
    error.details = details.mapValues(redactor.clean)
    return error
  }
}
