import HTTPClient
import JSON

/// An authorization request that the provider keeps (RFC 9126, 2.2).
package struct PushedRequest: Sendable {
  /// The name of the request, for the authorization URL.
  package let requestURI: String
  /// The lifetime in seconds.
  package let expiresIn: Int64

  /// - Throws: `malformed_response` for a status other than 201, without `request_uri`, and without a lifetime.
  init(_ json: JSON, _ response: HTTPResponse, to request: EndpointRequest) throws(OAuthError) {
    func malformed(_ what: String) -> OAuthError {
      OAuthError(
        "malformed_response", .authorize, "\(request.name) \(request.url) answered \(what) (RFC 9126, 2.2)",
        hint: "the provider does not follow the standard; sign in with par = false", status: response.status)
    }
    guard response.status == 201 else {
      throw malformed("\(response.status), and a pushed request is answered with 201")
    }
    guard let uri = json["request_uri"]?.string, !uri.isEmpty else { throw malformed("without a request_uri") }
    guard let lifetime = json["expires_in"]?.lenientInteger else { throw malformed("without expires_in, a number") }
    guard lifetime > 0 else { throw malformed("with expires_in \(lifetime), so the request is expired already") }
    requestURI = uri
    expiresIn = lifetime
  }
}
