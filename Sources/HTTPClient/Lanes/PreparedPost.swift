import Core
package import HostLoop

/// The common part of many POSTs, made ready once: an import sends a million of them with one token.
@HostActor
package final class PreparedPost {
  let request: HTTPRequest
  /// The head as it goes over the connection, up to what differs; nil for a request that takes the ordinary way.
  let head: [UInt8]?
  let lanes: LanePool.Key

  package var url: String { request.url }

  /// The header fields as they go out, without those of a single request and the length.
  package var sentHeaders: HTTPHeaders {
    guard let head, let end = head.firstIndex(of: 0x0a) else { return request.headers }
    return HTTPHeaders(lines: Array(head[(end + 1)...]))
  }

  init(_ request: HTTPRequest, _ configuration: HTTPClientConfiguration) throws(HTTPError) {
    guard let origin = Origin(request.url), let url = CurlURL(request.url) else {
      throw HTTPError.invalidURL(request.url)
    }
    try RequestCheck.headers(request.headers)
    self.request = request
    lanes = LanePool.Key(
      origin: origin, trust: configuration.trust, certificate: request.certificate?.thumbprint)
    head = Self.head(request, configuration, origin, url)
  }

  /// A lane serves https, by a tunnel through a proxy, and this machine. A request to a proxy of plain http differs.
  private static func head(
    _ request: HTTPRequest, _ configuration: HTTPClientConfiguration, _ origin: Origin, _ url: borrowing CurlURL
  ) -> [UInt8]? {
    guard request.onProgress == nil, origin.scheme == "https" || origin.isLoopback, !url.hasCredentials,
      origin.host.utf8.allSatisfy({ $0 < 0x80 && $0 != UInt8(ascii: "%") }), let path = url.path
    else { return nil }
    // libcurl has to understand these fields: they change how a connection is used.
    let special = ["connection", "expect", "host", "te", "upgrade"]
    guard !request.headers.fields.contains(where: { special.contains($0.name.lowercased()) }) else { return nil }

    let query = url.query.map { "?" + $0 } ?? ""
    let port = origin.port == (origin.scheme == "https" ? 443 : 80) ? "" : ":\(origin.port)"
    var head = "POST \(path)\(query) HTTP/1.1\r\nHost: \(origin.host)\(port)\r\n"
    if request.headers["User-Agent"] == nil { head += "User-Agent: \(configuration.userAgent)\r\n" }
    if request.headers["Accept"] == nil { head += "Accept: */*\r\n" }
    for field in request.headers.fields { head += "\(field.name): \(field.value)\r\n" }
    return Array(head.utf8)
  }
}
