extension HTTPHeaders {
  /// Parses field lines (RFC 9112, section 5), each ended by CR LF or LF. A line that starts with a space goes on with
  /// the value before it; a line without a colon is passed over.
  init(lines: [UInt8]) {
    var fields: [(String, String)] = []
    lines.withUnsafeBytes { bytes in
      var start = 0
      while start < bytes.count {
        let end = bytes[start...].firstIndex(of: 0x0a) ?? bytes.count
        let line = bytes[start..<end]
        start = end + 1
        if line.first == 0x20 || line.first == 0x09 {
          guard let last = fields.indices.last else { continue }
          fields[last].1 += " " + Self.text(line)
        } else if let colon = line.firstIndex(of: UInt8(ascii: ":")) {
          fields.append((Self.text(line[..<colon]), Self.text(line[(colon + 1)...])))
        }
      }
    }
    self.init(fields)
  }

  /// Without the white space around it.
  private static func text(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0d }
    guard let first = bytes.firstIndex(where: { !isSpace($0) }), let last = bytes.lastIndex(where: { !isSpace($0) })
    else { return "" }
    return String(decoding: bytes[first...last], as: UTF8.self)
  }
}
