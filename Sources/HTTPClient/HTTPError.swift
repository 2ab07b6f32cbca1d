import Core

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
    /// Anything else libcurl says.
    case transfer
  }

  package var kind: Kind
  package var message: String
  package var hint: String?
  /// True if the server may have acted on the request: false only if it never got it (no connection was made).
  package var mayHaveBeenReceived: Bool

  package init(kind: Kind, message: String, hint: String? = nil, mayHaveBeenReceived: Bool = false) {
    self.kind = kind
    self.message = message
    self.hint = hint
    self.mayHaveBeenReceived = mayHaveBeenReceived
  }

  package var code: String { kind.rawValue }
  package var isRetryable: Bool {
    switch kind {
    case .unreachable, .timeout, .connectionLost, .transfer: true
    case .invalidURL, .tls, .tooManyRedirects, .insecureRedirect, .tooLarge, .canceled, .permissionDenied: false
    }
  }
}
