import Core
import HTTPClient

/// A form sent to an endpoint at which the client says who it is (RFC 6749, 2.3).
struct EndpointRequest {
  /// Names the endpoint in messages: `the token endpoint`.
  var name: String
  var url: String
  var stage: OAuthError.Stage
  /// How the client may identify itself there, as the metadata document names the ways; nil where no document tells.
  var methods: [String]?
  var fields: [(String, String)]
  /// Advice about a response that no such endpoint would give.
  var hint: String?

  /// The secrets of the request, for the messages about its response: a provider may repeat them.
  /// - Parameters:
  ///   - message: the request as it was sent.
  ///   - clientSecret: the secret by which the client may have identified itself.
  func redactor(_ message: HTTPRequest?, _ clientSecret: Secret?) -> Redactor {
    var secrets =
      fields.filter { SecretName.kind($0.0) != nil }.map(\.1) + [clientSecret?.reveal()].compactMap(\.self)
    if let credentials = message?.headers["Authorization"] {
      secrets += credentials.split(separator: " ").dropFirst().map(String.init)
    }
    return Redactor(secrets)
  }
}
