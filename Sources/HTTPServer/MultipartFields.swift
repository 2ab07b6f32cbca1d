/// Decoding of `multipart/form-data` (RFC 7578) with text fields.
enum MultipartFields {
  /// The fields in their order, without other parts. The content type needs its parameter `boundary`.
  static func decode(_ body: [UInt8], contentType: String) -> [(String, String)] {
    guard let boundary = parameter("boundary", of: contentType[...]), !boundary.isEmpty else { return [] }
    // The line break before a boundary belongs to it (RFC 2046 §5.1.1).
    let text = "\r\n" + String(decoding: body, as: UTF8.self)
    let parts = text.unicodeScalars.split(
      separator: "\r\n--\(boundary)".unicodeScalars, omittingEmptySubsequences: false)
    return parts.dropFirst().compactMap { part in
      let part = String(String.UnicodeScalarView(part))
      guard part.hasPrefix("\r\n"), let end = part.firstRange(of: "\r\n\r\n") else { return nil }
      let disposition = part[..<end.lowerBound].split(separator: "\r\n").first {
        $0.lowercased().hasPrefix("content-disposition:")
      }
      guard let name = disposition.flatMap({ parameter("name", of: $0) }) else { return nil }
      return (name, String(part[end.upperBound...]))
    }
  }

  private static func parameter(_ name: String, of field: Substring) -> String? {
    for parameter in field.split(separator: ";").dropFirst() {
      let pair = parameter.split(separator: "=", maxSplits: 1)
      guard pair.count == 2, pair[0].drop(while: { $0 == " " }).lowercased() == name else { continue }
      return pair[1].split(separator: "\"", omittingEmptySubsequences: true).first.map(String.init) ?? ""
    }
    return nil
  }
}
