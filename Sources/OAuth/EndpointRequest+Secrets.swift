import Core
import HTTPClient

extension EndpointRequest {
  /// The secrets that the request carries, for the messages about its response: a provider may repeat them.
  /// - Parameters:
  ///   - message: the request as it was sent.
  ///   - clientSecret: what the client may have identified itself with.
  func redactor(_ message: HTTPRequest?, _ clientSecret: Secret?) -> Redactor {
    var secrets = fields.filter { SecretName.kind($0.0) != nil }.map(\.1) + [clientSecret?.reveal()].compactMap(\.self)
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
