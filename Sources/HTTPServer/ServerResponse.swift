/// The response of a handler. The server adds `Content-Length`, `Date` and `Connection`.
package struct ServerResponse: Sendable {
  /// A break of the connection, for tests of clients.
  package enum Drop: Sendable, Equatable {
    /// The connection is closed before the first byte of the response.
    case beforeResponse
    /// The connection is closed after the header and the first half of the body. A response without a body announces one byte
    /// that never comes.
    case midResponse
  }

  package var status: Int
  package var headers: [(String, String)]
  package var body: [UInt8]
  /// The seconds to wait before the response is sent. The server answers other requests meanwhile.
  package var delay: Double
  package var drop: Drop?
  /// The response that comes later in place of this one.
  var pending: PendingResponse?
  /// True if a `drop` resets the connection (RFC 9293 §3.5.2), as after a crash of the machine, instead of closing it.
  package var isReset = false
  /// Called once, after the response was sent or its connection broke, on a thread of the server or of `stop`.
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
