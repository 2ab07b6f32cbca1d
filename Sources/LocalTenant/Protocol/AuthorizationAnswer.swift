import HTTPServer

/// Sends an answer of the authorization endpoint to the client.
enum AuthorizationAnswer {
  static func make(
    _ request: AuthorizationRequest, _ fields: [(String, String)], isBrowser: Bool, headers: [(String, String)] = []
  ) -> ServerResponse {
    var fields = fields
    if let state = request.state { fields.append(("state", state)) }
    // Errors also have `iss`, so that a client of several providers can tell which provider answered (RFC 9207).
    fields.append(("iss", request.issuer))
    switch request.responseMode {
    case .query:
      return redirect(request, appending(fields, to: request.redirectURI), fields, isBrowser, headers)
    case .fragment:
      return redirect(request, "\(request.redirectURI)#\(encode(fields))", fields, isBrowser, headers)
    case .formPost:
      return Page.formPost(request.texts, to: request.redirectURI, fields: fields).response(headers: headers)
    }
  }

  /// A browser cannot open `urn:…`, so the page shows the code to copy.
  private static func redirect(
    _ request: AuthorizationRequest, _ url: String, _ fields: [(String, String)], _ isBrowser: Bool,
    _ headers: [(String, String)]
  ) -> ServerResponse {
    if isBrowser, url.hasPrefix("urn:") {
      return Page.outOfBand(request.texts, url: url, fields: fields).response(headers: headers)
    }
    return ServerResponse(status: 302, headers: Self.headers(location: url) + headers)
  }

  static func headers(location: String) -> [(String, String)] {
    [("Location", location), ("Cache-Control", "no-store"), ("Pragma", "no-cache"), ("Referrer-Policy", "no-referrer")]
  }

  static func appending(_ fields: [(String, String)], to url: String) -> String {
    guard !fields.isEmpty else { return url }
    let separator = url.contains("?") ? (url.hasSuffix("?") || url.hasSuffix("&") ? "" : "&") : "?"
    return url + separator + encode(fields)
  }

  private static func encode(_ fields: [(String, String)]) -> String {
    fields.map { "\(percentEncode($0.0))=\(percentEncode($0.1))" }.joined(separator: "&")
  }

  /// Encodes all characters except the unreserved ones of RFC 3986, so that every decoder restores the same value.
  static func percentEncode(_ text: String) -> String {
    var result = ""
    for byte in text.utf8 {
      switch byte {
      case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2d, 0x2e, 0x5f, 0x7e: result.unicodeScalars.append(.init(byte))
      default: result += (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
      }
    }
    return result
  }
}
