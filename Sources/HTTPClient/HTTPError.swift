import CCurlShims
import Core
import Glibc
import HostLoop

/// A request that got no answer.
package struct HTTPError: Failure {
  package enum Kind: String, Sendable {
    /// The address is not one, or its scheme is not http or https.
    case invalidURL = "invalid_url"
    /// No such host, or nobody listens there.
    case unreachable
    /// The certificate or the handshake failed.
    case tls
    case timeout
    /// The connection broke before the answer was complete.
    case connectionLost = "connection_lost"
    case tooManyRedirects = "too_many_redirects"
    case tooLarge = "too_large"
    /// From https to http, with a token.
    case insecureRedirect = "insecure_redirect"
    case canceled
    /// The script may not connect there.
    case permissionDenied = "permission_denied"
    /// The host is at a private address, where the request may not go.
    case privateAddress = "private_address"
    /// Anything else libcurl says.
    case transfer
  }

  package var kind: Kind
  package var message: String
  package var hint: String?
  /// True if the server may have acted on the request: false only if it never got it (no connection was made).
  package var mayHaveBeenReceived: Bool

  package init(_ kind: Kind, _ message: String, hint: String? = nil, mayHaveBeenReceived: Bool = false) {
    self.kind = kind
    self.message = message
    self.hint = hint
    self.mayHaveBeenReceived = mayHaveBeenReceived
  }

  package var code: String { kind.rawValue }
  /// `fate` is `unknown` if the server may have acted on the request.
  package var details: [String: String] { mayHaveBeenReceived ? ["fate": "unknown"] : [:] }
  package var isRetryable: Bool {
    switch kind {
    case .unreachable, .timeout, .connectionLost, .transfer: true
    case .invalidURL, .tls, .tooManyRedirects, .insecureRedirect, .tooLarge, .canceled, .permissionDenied,
      .privateAddress:
      false
    }
  }

  static func invalidURL(_ url: String) -> HTTPError {
    HTTPError(
      .invalidURL, "\(shown(url)) is not an http or https address",
      hint: "write it in full, like https://example.com/path")
  }

  static func canceled(_ request: HTTPRequest, mayHaveBeenReceived: Bool) -> HTTPError {
    HTTPError(.canceled, "\(request.target) was canceled", mayHaveBeenReceived: mayHaveBeenReceived)
  }

  static func timeout(_ request: HTTPRequest, mayHaveBeenReceived: Bool = true) -> HTTPError {
    HTTPError(
      .timeout,
      mayHaveBeenReceived
        ? "\(request.target) was not answered within \(seconds(request.timeout))"
        : "cannot connect to \(request.authority) within \(seconds(request.timeout))",
      mayHaveBeenReceived: mayHaveBeenReceived)
  }

  static func silence(_ request: HTTPRequest) -> HTTPError {
    HTTPError(
      .timeout, "the answer to \(request.target) stopped: nothing came for \(seconds(request.timeout))",
      mayHaveBeenReceived: true)
  }

  static func lost(_ request: HTTPRequest, hasBegun: Bool, mayHaveBeenReceived: Bool = true) -> HTTPError {
    HTTPError(
      .connectionLost,
      "the connection of \(request.target) was lost before \(hasBegun ? "the answer was complete" : "an answer")",
      mayHaveBeenReceived: mayHaveBeenReceived)
  }

  static func privateAddress(_ request: HTTPRequest, _ address: String) -> HTTPError {
    HTTPError(.privateAddress, "\(request.authority) is at the private address \(address)")
  }

  static func notHTTP(_ request: HTTPRequest, mayHaveBeenReceived: Bool = true) -> HTTPError {
    HTTPError(.transfer, "the answer to \(request.target) is not HTTP", mayHaveBeenReceived: mayHaveBeenReceived)
  }

  static func tooLarge(_ request: HTTPRequest, isHead: Bool = false) -> HTTPError {
    let problem =
      isHead
      ? "has more than \(HTTPHeaders.most) header fields, or more than \(HTTPHeaders.mostBytes >> 20) MiB of them"
      : "is larger than \(request.maximumBodySize) bytes"
    return HTTPError(.tooLarge, "the answer to \(request.target) \(problem)", mayHaveBeenReceived: true)
  }

  static func tooManyRedirects(_ request: HTTPRequest) -> HTTPError {
    HTTPError(
      .tooManyRedirects, "\(request.target) was redirected more than \(Redirect.maximum) times",
      mayHaveBeenReceived: true)
  }

  static func shown(_ url: String) -> String { "\"\(WebAddress(url).shown)\"" }

  private static func seconds(_ value: Double) -> String {
    // The rest of a longer time limit has many digits.
    let value = (value * 100).rounded() / 100
    guard let whole = Int(exactly: value) else { return "\(value) seconds" }
    return "\(whole) \(whole == 1 ? "second" : "seconds")"
  }
}

extension HTTPRequest {
  /// `localhost:8080`
  var authority: String { Origin(url)?.authority ?? HTTPError.shown(url) }
  /// `POST to localhost:8080`
  var target: String { "\(method) to \(authority)" }
}
