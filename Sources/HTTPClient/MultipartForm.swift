import Core

/// Bodies of `multipart/form-data` (RFC 7578), all with the same boundary.
package struct MultipartForm: Sendable {
  /// A field, or a file.
  package struct Part: Sendable {
    package var name: String
    package var contents: [UInt8]
    /// Nil for a field.
    package var filename: String?
    /// The media type; nil for a text.
    package var type: String?

    package init(_ name: String, _ contents: [UInt8], filename: String? = nil, type: String? = nil) {
      self.name = name
      self.contents = contents
      self.filename = filename
      self.type = type
    }

    /// A field with a text in it.
    package init(_ name: String, _ text: String) { self.init(name, Array(text.utf8)) }
  }

  /// Random bits: no part contains them by chance, and nobody who writes a part knows them in advance.
  private let boundary: String

  package init() {
    var generator = RunRandom()
    boundary = "b2c-run-" + (0..<2).map { _ in String(generator.next(), radix: 36) }.joined()
  }

  /// The value of `Content-Type`.
  package var contentType: String { "multipart/form-data; boundary=\(boundary)" }

  package func encode(_ parts: [Part]) -> [UInt8] {
    var body: [UInt8] = []
    for part in parts {
      var head = "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(Self.quoted(part.name))\""
      if let filename = part.filename { head += "; filename=\"\(Self.quoted(filename))\"" }
      if let type = part.type { head += "\r\nContent-Type: \(Self.quoted(type))" }
      body += Array("\(head)\r\n\r\n".utf8)
      body += part.contents
      body += Array("\r\n".utf8)
    }
    return body + Array("--\(boundary)--\r\n".utf8)
  }

  /// Escapes as browsers do (the HTML standard, 4.10.21.8). The scalars count: to Swift CR LF is one character.
  private static func quoted(_ text: String) -> String {
    text.unicodeScalars.map { "\"\r\n".unicodeScalars.contains($0) ? URLEncodedForm.percentEncode("\($0)") : "\($0)" }
      .joined()
  }
}
