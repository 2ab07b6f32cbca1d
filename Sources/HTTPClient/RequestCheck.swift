/// Refuses methods and header fields that would make another request than the caller meant.
package enum RequestCheck {
  static func method(_ method: String) throws(HTTPError) {
    guard isToken(method), method != "CONNECT" else {
      throw HTTPError(.transfer, "\"\(printable(method))\" is not the method of a request")
    }
  }

  /// Field names are tokens (RFC 9110, 5.1); values hold no line break and no NUL, which would let a value add fields.
  static func headers(_ headers: HTTPHeaders) throws(HTTPError) {
    let fields = headers.fields
    let size = fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
    guard fields.count <= HTTPHeaders.most, size <= HTTPHeaders.mostBytes else {
      throw HTTPError(
        .transfer,
        "the request has \(fields.count) header fields with \(size) bytes, more than \(HTTPHeaders.most) fields or "
          + "\(HTTPHeaders.mostBytes >> 20) MiB", hint: "send the data in the body")
    }
    for field in fields { try self.field(field) }
  }

  /// Throws when a field cannot be sent.
  package static func field(_ field: HTTPHeaders.Field) throws(HTTPError) {
    guard isToken(field.name) else {
      throw HTTPError(.transfer, "\"\(printable(field.name))\" is not the name of a header field")
    }
    if let byte = control(in: field.value) {
      let what = byte == 0x0d || byte == 0x0a ? "a line break" : byte == 0 ? "a NUL" : "a control character"
      throw HTTPError(.transfer, "the value of the header field \(field.name) holds \(what)")
    }
    if ["content-length", "transfer-encoding"].contains(field.name.lowercased()) {
      throw HTTPError(.transfer, "the header field \(field.name) follows from the body and cannot be given")
    }
  }

  /// The first control character of a value. An import sends a long value, its proof, with each row.
  private static func control(in value: String) -> UInt8? {
    var value = value
    return value.withUTF8 { bytes in bytes.first { ($0 < 0x20 && $0 != 0x09) || $0 == 0x7f } }
  }

  /// RFC 9110, 5.6.2.
  private static func isToken(_ text: String) -> Bool {
    !text.isEmpty
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"):
          true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
      }
  }

  /// At most 60 characters, control characters replaced.
  private static func printable(_ text: String) -> String {
    String(
      String.UnicodeScalarView(text.unicodeScalars.prefix(60).map { $0.value < 0x20 || $0.value == 0x7f ? "?" : $0 }))
  }
}
