/// `multipart/form-data` (RFC 7578) of text fields.
struct MultipartForm {
  let contentType: String
  let body: [UInt8]

  init(_ fields: [(String, String)]) {
    var generator = SystemRandomNumberGenerator()
    let boundary = "b2c-run-" + String(UInt64.random(in: .min ... .max, using: &generator), radix: 36)
    contentType = "multipart/form-data; boundary=\(boundary)"
    var text = ""
    for (name, value) in fields {
      text += "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(Self.escape(name))\"\r\n\r\n\(value)\r\n"
    }
    body = Array("\(text)--\(boundary)--\r\n".utf8)
  }

  /// As browsers do it (HTML, 4.10.21.8).
  private static func escape(_ name: String) -> String {
    name.unicodeScalars.reduce(into: "") { escaped, scalar in
      switch scalar {
      case "\"": escaped += "%22"
      case "\r": escaped += "%0D"
      case "\n": escaped += "%0A"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
  }
}
