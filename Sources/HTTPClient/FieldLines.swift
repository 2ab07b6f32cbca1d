/// Field lines (RFC 9112, section 5), each ended by CR LF or LF. A line that starts with a space goes on with the value
/// before it; a line without a colon is passed over.
struct FieldLines: Sendable {
  let bytes: [UInt8]

  func fields() -> [HTTPHeaders.Field] {
    var fields: [HTTPHeaders.Field] = []
    forEachLine { line in
      if line.first == 0x20 || line.first == 0x09 {
        guard let last = fields.indices.last else { return true }
        fields[last].value += " " + Self.text(line)
      } else if let colon = line.firstIndex(of: UInt8(ascii: ":")) {
        fields.append(HTTPHeaders.Field(name: Self.text(line[..<colon]), value: Self.text(line[(colon + 1)...])))
      }
      return true
    }
    return fields
  }

  /// Whether a field of that name, in any letter case, may be among them: false is certain.
  func mayHold(_ name: String) -> Bool {
    var isFound = false
    forEachLine { line in
      isFound = line.count > name.utf8.count && zip(line, name.utf8).allSatisfy { ($0 | 0x20) == ($1 | 0x20) }
      return !isFound
    }
    return isFound
  }

  /// Until `action` says false.
  private func forEachLine(_ action: (Slice<UnsafeRawBufferPointer>) -> Bool) {
    bytes.withUnsafeBytes { bytes in
      var start = 0
      while start < bytes.count {
        let end = bytes[start...].firstIndex(of: 0x0a) ?? bytes.count
        guard action(bytes[start..<end]) else { return }
        start = end + 1
      }
    }
  }

  /// Without the white space around it.
  private static func text(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0d }
    guard let first = bytes.firstIndex(where: { !isSpace($0) }), let last = bytes.lastIndex(where: { !isSpace($0) })
    else { return "" }
    return String(decoding: bytes[first...last], as: UTF8.self)
  }
}
