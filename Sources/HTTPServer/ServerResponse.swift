/// What a handler answers. `Content-Length`, `Date` and `Connection` are added by the server.
package struct ServerResponse: Sendable {
  /// How a connection may break, for tests of clients.
  package enum Drop: Sendable, Equatable {
    /// The connection is closed and not a byte of the answer sent.
    case beforeResponse
    /// The header and the first half of the body are sent, then the connection is closed.
    /// An answer without a body has no middle: it announces one byte that never comes.
    case midResponse
  }

  package var status: Int
  package var headers: [(String, String)]
  package var body: [UInt8]
  /// Seconds to wait before the answer is sent. Other requests are answered meanwhile.
  package var delay: Double
  package var drop: Drop?
  /// Whether a `drop` resets the connection (RFC 9293 §3.5.2), as a machine does that has crashed, instead of closing it.
  package var isReset = false
  /// Called once, when the answer has been sent or its connection broke, on a thread of the server or of `stop`.
  package var whenSent: (@Sendable () -> Void)?

  package init(
    status: Int, headers: [(String, String)] = [], body: [UInt8] = [], delay: Double = 0, drop: Drop? = nil
  ) {
    self.status = status
    self.headers = headers
    self.body = body
    self.delay = delay
    self.drop = drop
  }
}

extension ServerResponse {
  /// A text with its content type, such as `text/html; charset=utf-8`.
  package init(status: Int = 200, headers: [(String, String)] = [], text: String, type: String) {
    self.init(status: status, headers: [("Content-Type", type)] + headers, body: Array(text.utf8))
  }
}
