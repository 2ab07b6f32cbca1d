/// A form sent to an endpoint at which the client says who it is (RFC 6749, 2.3).
struct EndpointRequest {
  /// Names the endpoint in messages: `the token endpoint`.
  var name: String
  var url: String
  var stage: OAuthError.Stage
  /// How the client may identify itself there, as the metadata document names the ways; nil where no document tells.
  var methods: [String]?
  var fields: [(String, String)]
  /// What to do about an answer that no such endpoint would give.
  var hint: String?
}
