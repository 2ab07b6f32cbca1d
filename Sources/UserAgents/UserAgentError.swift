package import Core

/// An authorization request that did not come back with a redirect.
package typealias UserAgentError = DomainError<UserAgentProblem>

package enum UserAgentProblem: String, FailureKind {
  /// An address that is none, or http to another machine.
  case insecureURL = "insecure_url"
  /// The page answered what was submitted with an error, such as a wrong password.
  case signInRejected = "sign_in_rejected"
  /// The page asks for a user name or password that was not given.
  case missingCredentials = "missing_credentials"
  /// The page has no form this agent can fill.
  case pageNotUnderstood = "page_not_understood"
  /// The answer is an error page, or no page.
  case pageFailed = "page_failed"
  /// A form, field or button that the page does not have.
  case noSuchElement = "no_such_element"
  case tooManyRedirects = "too_many_redirects"
  case tooManyPages = "too_many_pages"
  /// A form with a password was to be sent on to another origin.
  case unsafeRedirect = "unsafe_redirect"
  /// The pasted text belongs to another redirect URI, or is no redirect.
  case redirectMismatch = "redirect_mismatch"
  /// The input ended before anything was pasted.
  case noInput = "no_input"
  /// No browser can be opened here, or the one there is failed.
  case noBrowser = "no_browser"
  /// The redirect URI is none that this machine can listen on.
  case invalidRedirectURI = "invalid_redirect_uri"
  /// Another program listens on the redirect URI's port.
  case portTaken = "port_taken"
  /// The system does not let this program listen there.
  case listenFailed = "listen_failed"
  /// No QR code can be drawn.
  case noDrawing = "no_qr_code"
  /// The program of the embedded window was not built, or cannot be run.
  case noWebView = "no_webview"
  /// There is no display for a window.
  case noDisplay = "no_display"
  /// The person closed the window.
  case windowClosed = "window_closed"
  /// A page in the window has a certificate that is not trusted.
  case certificate = "untrusted_certificate"
  /// The embedded window ended in the middle of the sign-in.
  case webViewFailed = "webview_failed"
  /// The cookies of a session cannot be kept.
  case sessionUnusable = "session_unusable"
  /// `on_navigate` answered `stop`.
  case stopped
  case timeout

  /// The AADB2C code where the page named one, as in errors of the provider's endpoints; else the kind.
  package func code(in details: [String: String]) -> String { details["aadb2c_code"] ?? rawValue }
  package var isRetryable: Bool { self == .timeout }
}
