/// Where a request ends. One that says so in two ways is refused: whoever reads it another way would see a second request
/// in what is the body of the first (RFC 9112 §6.3, §11.2).
enum Framing {
  /// The answer to a request whose end is in doubt; nil for all others.
  static func refusal(of headers: [(String, String)]) -> ServerResponse? {
    var lengths = 0
    var codings: [String] = []
    for (name, value) in headers {
      if name.utf8.contains(where: { $0 == 0x20 || $0 == 0x09 }) {
        return answer(400, "There is a space in the name of a header field.")
      }
      // The lengths of the two names: this runs for every header field of every request.
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
