/// The check that a request has one clear end. With two, another reader could take a part of the body as a second request
/// (RFC 9112 §6.3, §11.2).
enum Framing {
  /// The refusal of a request without a clear end; nil for all other requests.
  static func refusal(of headers: [(String, String)]) -> ServerResponse? {
    var lengths = 0
    var codings: [String] = []
    for (name, value) in headers {
      if name.utf8.contains(where: { $0 == 0x20 || $0 == 0x09 }) {
        return answer(400, "There is a space in the name of a header field.")
      }
      // The lengths of the two names are compared first: this runs for every header field of every request.
      guard name.utf8.count == 14 || name.utf8.count == 17 else { continue }
      switch name.lowercased() {
      case "content-length": lengths += 1
      case "transfer-encoding": codings.append(value.lowercased())
      default: break
      }
    }
    guard lengths + codings.count > 1 else {
      return codings.first ?? "chunked" == "chunked"
        ? nil : answer(501, "This server knows no Transfer-Encoding but chunked.")
    }
    return answer(400, "The request has more than one Content-Length or Transfer-Encoding.")
  }

  private static func answer(_ status: Int, _ text: String) -> ServerResponse {
    ServerResponse(
      status: status, headers: [("Connection", "close")], text: "\(text)\n", type: "text/plain; charset=utf-8")
  }
}
