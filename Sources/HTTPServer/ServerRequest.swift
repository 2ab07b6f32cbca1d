import Core

/// A complete request.
package struct ServerRequest: Sendable {
  /// `GET`, `POST`, … as sent (methods are case-sensitive, RFC 9110 §9.1).
  package let method: String
  /// The request target as sent: path and query, still percent-encoded.
  package let target: String
  /// The target's path, percent-decoded.
  package let path: String
  /// Header fields in the order they were sent.
  package let headers: [(String, String)]
  package let body: [UInt8]
  /// The client's certificate; nil without one, and for a server that asks for none.
  package let certificate: PeerCertificate?

  package init(
    method: String, target: String, headers: [(String, String)] = [], body: [UInt8] = [],
    certificate: PeerCertificate? = nil
  ) {
    self.method = method
    self.target = target
    self.headers = headers
    self.body = body
    self.certificate = certificate
    path = URLEncodedForm.unescape(target.utf8.prefix { $0 != UInt8(ascii: "?") }, plusIsSpace: false)
  }

  /// The fields of the query, decoded, in their order; repeated ones stay.
  package var query: [(String, String)] {
    guard let mark = target.utf8.firstIndex(of: UInt8(ascii: "?")) else { return [] }
    return URLEncodedForm.decode(Substring(target.utf8[mark...].dropFirst()))
  }

  /// The fields of an `application/x-www-form-urlencoded` body, decoded, in their order; empty for other content types.
  package var form: [(String, String)] {
    mediaType == "application/x-www-form-urlencoded" ? URLEncodedForm.decode(String(decoding: body, as: UTF8.self)) : []
  }

  /// The fields of a `multipart/form-data` body, in their order; empty for other content types.
  package var multipartForm: [(String, String)] {
    mediaType == "multipart/form-data"
      ? MultipartFields.decode(body, contentType: header("Content-Type") ?? "") : []
  }

  /// The content type without its parameters, in lower case; nil when none was sent.
  package var mediaType: String? {
    guard let value = header("Content-Type") else { return nil }
    let type = value.utf8.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: " ") }
    return String(Substring(type)).lowercased()
  }

  /// The first header field of that name, compared without regard to case.
  package func header(_ name: String) -> String? { headers.first { equalIgnoringCase($0.0, name) }?.1 }
}

/// Compares ASCII names without making lower-case copies: this runs for every header field of every request.
private func equalIgnoringCase(_ left: String, _ right: String) -> Bool {
  guard left.utf8.count == right.utf8.count else { return false }
  return zip(left.utf8, right.utf8).allSatisfy {
    $0 == $1 || ($0 | 0x20 == $1 | 0x20 && (0x61...0x7a).contains($0 | 0x20))
  }
}
