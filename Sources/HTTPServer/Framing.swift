/// The check that a request has one clear meaning. With two, another reader could take a part of the body as a second request,
/// or another host as the one that is meant (RFC 9112 §2.2, §3.2, §5, §6.3, §11.2).
enum Framing {
  /// The refusal of a request that breaks a rule; nil for all other requests.
  /// - Parameters:
  ///   - version: `HTTP/1.1`
  ///   - isWhole: false if there was a NUL, a folded line, or a line without CR LF.
  static func refusal(
    of headers: [(String, String)], target: String, version: String, isWhole: Bool
  ) -> ServerResponse? {
    guard isWhole else {
      return answer(400, "The header has a NUL, a folded line, or a line that does not end with CR LF.")
    }
    guard !target.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F }) else {
      return answer(400, "There is a space or a control character in the target of the request.")
    }
    var lengths = 0
    var hosts = 0
    var codings: [String] = []
    for (name, value) in headers {
      guard !name.isEmpty, name.utf8.allSatisfy(isTokenByte) else {
        return answer(400, "There is a character in the name of a header field that may not be there.")
      }
      guard !value.utf8.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F }) else {
        return answer(400, "There is a control character in the header field \(name).")
      }
      // The lengths of the names are compared first: this runs for every header field of every request.
      switch name.utf8.count {
      case 4 where name.lowercased() == "host":
        hosts += 1
        guard isHost(value) else { return answer(400, "The value of the header field Host is not a host.") }
      case 14 where name.lowercased() == "content-length": lengths += 1
      case 17 where name.lowercased() == "transfer-encoding": codings.append(value.lowercased())
      default: break
      }
    }
    guard hosts == 1 || hosts == 0 && version == "HTTP/1.0" else {
      return answer(400, "The request has \(hosts == 0 ? "no header field" : "more than one header field") Host.")
    }
    guard lengths + codings.count <= 1, codings.isEmpty || version == "HTTP/1.1" else {
      return answer(400, "The request has more than one Content-Length or Transfer-Encoding.")
    }
    return codings.first ?? "chunked" == "chunked"
      ? nil : answer(501, "This server knows no Transfer-Encoding but chunked.")
  }

  /// RFC 9110 §5.6.2.
  private static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }

  /// A host with or without a port (RFC 3986 §3.2.2). The check leaves the meaning to others: it only refuses what could be
  /// read as more than one host, or as more than a host.
  private static func isHost(_ value: String) -> Bool {
    let spaces: Set<UInt8> = [0x20, 0x09]
    let host = value.utf8.drop { spaces.contains($0) }
    let end = host.lastIndex { !spaces.contains($0) }.map { host.index(after: $0) } ?? host.startIndex
    return !host[..<end].contains { spaces.contains($0) || ",;/\\@?#\"<>".utf8.contains($0) }
  }

  private static func answer(_ status: Int, _ text: String) -> ServerResponse {
    ServerResponse(
      status: status, headers: [("Connection", "close")], text: "\(text)\n", type: "text/plain; charset=utf-8")
  }
}
