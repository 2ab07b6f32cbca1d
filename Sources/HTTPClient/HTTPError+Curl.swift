import CCurlShims
import Glibc
import HostLoop

extension HTTPError {
  static func invalidURL(_ url: String) -> HTTPError {
    HTTPError(
      kind: .invalidURL, message: "\(shown(url)) is no http or https address",
      hint: "write it in full, like https://example.com/path")
  }

  static func canceled(_ request: HTTPRequest, mayHaveBeenReceived: Bool) -> HTTPError {
    HTTPError(
      kind: .canceled, message: "\(request.target) was canceled", mayHaveBeenReceived: mayHaveBeenReceived)
  }

  static func timeout(_ request: HTTPRequest, mayHaveBeenReceived: Bool = true) -> HTTPError {
    HTTPError(
      kind: .timeout,
      message: mayHaveBeenReceived
        ? "\(request.target) was not answered within \(seconds(request.timeout))"
        : "cannot connect to \(request.authority) within \(seconds(request.timeout))",
      mayHaveBeenReceived: mayHaveBeenReceived)
  }

  static func silence(_ request: HTTPRequest) -> HTTPError {
    HTTPError(
      kind: .timeout, message: "the answer to \(request.target) stopped: nothing came for \(seconds(request.timeout))",
      mayHaveBeenReceived: true)
  }

  /// The connection broke: before anything of the answer came, or in the middle of it.
  static func lost(_ request: HTTPRequest, hasBegun: Bool, mayHaveBeenReceived: Bool = true) -> HTTPError {
    HTTPError(
      kind: .connectionLost,
      message:
        "the connection of \(request.target) was lost before \(hasBegun ? "the answer was complete" : "an answer")",
      mayHaveBeenReceived: mayHaveBeenReceived)
  }

  static func notHTTP(_ request: HTTPRequest, mayHaveBeenReceived: Bool = true) -> HTTPError {
    HTTPError(
      kind: .transfer, message: "the answer to \(request.target) is not HTTP", mayHaveBeenReceived: mayHaveBeenReceived)
  }

  static func tooLarge(_ request: HTTPRequest) -> HTTPError {
    HTTPError(
      kind: .tooLarge, message: "the answer to \(request.target) is larger than \(request.maximumBodySize) bytes",
      mayHaveBeenReceived: true)
  }

  static func tooManyRedirects(_ request: HTTPRequest) -> HTTPError {
    HTTPError(
      kind: .tooManyRedirects, message: "\(request.target) was redirected more than \(Redirect.maximum) times",
      mayHaveBeenReceived: true)
  }

  /// The same error of a request whose server has already acted.
  func received() -> HTTPError {
    var error = self
    error.mayHaveBeenReceived = true
    return error
  }

  /// An address without its secrets, in quotes.
  static func shown(_ url: String) -> String { "\"\(withoutSecrets(url))\"" }

  /// An address without its secrets, for messages: without query, fragment and password.
  package static func withoutSecrets(_ url: String) -> String {
    let end = url.firstIndex { $0 == "?" || $0 == "#" } ?? url.endIndex
    var text = String(
      String.UnicodeScalarView(
        url[..<end].unicodeScalars.prefix(200).map { $0.value <= 0x20 || $0.value == 0x7f ? "?" : $0 }))
    if let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix("://") {
      let start = text.index(colon, offsetBy: 3)
      if let at = text[start...].prefix(while: { $0 != "/" }).lastIndex(of: "@") { text.removeSubrange(start...at) }
    }
    return text
  }

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
