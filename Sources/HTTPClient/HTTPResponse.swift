import Core

/// The answer to a request, whatever its status.
package struct HTTPResponse: Sendable {
  package var status: Int
  package var headers: HTTPHeaders
  package var body: [UInt8]
  /// The address that answered, after redirects.
  package var url: String
  /// The numeric address of the server that answered; nil if a proxy or a tape answered.
  package var address: String?

  package init(
    status: Int, headers: HTTPHeaders = [:], body: [UInt8] = [], url: String = "", address: String? = nil
  ) {
    self.status = status
    self.headers = headers
    self.body = body
    self.url = url
    self.address = address
  }

  /// The body as text, bytes that are no UTF-8 replaced.
  package var text: String { String(decoding: body, as: UTF8.self) }

  /// The server does not answer for the address: another connection may reach one that does (RFC 9110, 15.5.20).
  static let misdirected = 421
}
