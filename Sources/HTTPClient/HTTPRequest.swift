import Core
import HostLoop

/// One request. Built by its memberwise defaults: `HTTPRequest(url: …)` is a GET.
package struct HTTPRequest: Sendable {
  package var method: String
  /// Absolute, http or https.
  package var url: String
  package var headers: HTTPHeaders
  /// Sent with `Content-Length`; nil for none. Its type is for the caller to put in the headers.
  package var body: [UInt8]?
  /// Seconds for the whole exchange, redirects included; with `onBody` the longest time in which nothing comes.
  package var timeout: Double
  /// Follows 301, 302, 303, 307 and 308, up to 10. `Authorization` and cookie fields are dropped at another origin.
  package var followsRedirects: Bool
  /// Cookies kept and sent as RFC 6265 says; nil for none.
  package var cookies: CookieJar?
  /// Shown to a server that asks for one in TLS; nil for none. It does not follow a redirect to another origin.
  package var certificate: ClientCertificate?
  /// The addresses that the request may go to, whatever the name of the host says: else `HTTPError` with code
  /// `private_address`. A proxy looks up names itself, and has other rules.
  package var addresses = AddressRule.anywhere
  /// The answer may not be larger: `HTTPError` with code `too_large`.
  package var maximumBodySize: Int
  /// Takes the body of a 200 as it comes, never in memory as a whole. The bytes are valid during the call. False ends
  /// the exchange: `HTTPError` with code `canceled`. Only when `send` has returned the body is known to be complete.
  package var onBody: (@HostActor @Sendable (UnsafeRawBufferPointer) -> Bool)?
  /// Called whenever some of the bodies has been sent or has come.
  package var onProgress: (@HostActor @Sendable (HTTPProgress) -> Void)?

  package init(
    method: String = "GET", url: String, headers: HTTPHeaders = [:], body: [UInt8]? = nil, timeout: Double = 30,
    followsRedirects: Bool = true, cookies: CookieJar? = nil, maximumBodySize: Int = 256 << 20,
    onBody: (@HostActor @Sendable (UnsafeRawBufferPointer) -> Bool)? = nil,
    onProgress: (@HostActor @Sendable (HTTPProgress) -> Void)? = nil
  ) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
    self.timeout = timeout
    self.followsRedirects = followsRedirects
    self.cookies = cookies
    self.maximumBodySize = maximumBodySize
    self.onBody = onBody
    self.onProgress = onProgress
  }

  /// A POST of form fields, `application/x-www-form-urlencoded`.
  package static func form(url: String, fields: [(String, String)], headers: HTTPHeaders = [:]) -> HTTPRequest {
    var headers = headers
    headers["Content-Type"] = "application/x-www-form-urlencoded"
    return HTTPRequest(method: "POST", url: url, headers: headers, body: URLEncodedForm.bytes(fields))
  }
}

/// The progress of an exchange, in bytes of the bodies. After a redirect or a repetition it begins anew.
package struct HTTPProgress: Sendable, Equatable {
  package var sent = 0
  /// The size of the request's body.
  package var toSend = 0
  package var received = 0
  /// The size of the answer's body; nil if the server does not say.
  package var toReceive: Int?
}
