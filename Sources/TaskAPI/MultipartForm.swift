/// `multipart/form-data` (RFC 7578) for fields of text.
struct MultipartForm: Sendable {
  /// 128 random bits, which no text contains by chance; and nobody who writes one knows them in advance.
  private let boundary: String

  init() {
    var random = SystemRandomNumberGenerator()
    boundary = "task-" + (0..<2).map { _ in String(random.next(), radix: 36) }.joined()
  }

  var contentType: String { "multipart/form-data; boundary=\(boundary)" }

  func encode(_ fields: [(String, String)]) -> [UInt8] {
    var text = ""
    for (name, value) in fields {
      text += "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(escaped(name))\"\r\n\r\n\(value)\r\n"
    }
    return Array("\(text)--\(boundary)--\r\n".utf8)
  }

  /// As browsers do (the HTML standard, 4.10.21.8).
  private func escaped(_ name: String) -> String {
    name.replacing("\"", with: "%22").replacing("\r", with: "%0D").replacing("\n", with: "%0A")
  }
}
