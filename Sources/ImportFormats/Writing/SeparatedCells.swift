/// Writes rows of CSV (RFC 4180), also with tabs. Lines end with LF, as usual on Linux.
package struct SeparatedCells: Sendable {
  let separator: UInt8

  package init(separator: UInt8) { self.separator = separator }

  package func append(_ fields: some Sequence<String>, to output: inout [UInt8]) {
    for (index, field) in fields.enumerated() {
      if index > 0 { output.append(separator) }
      append(field, to: &output)
    }
    output.append(UInt8(ascii: "\n"))
  }

  private func append(_ field: String, to output: inout [UInt8]) {
    guard needsQuotes(field) else {
      output.append(contentsOf: field.utf8)
      return
    }
    output.append(UInt8(ascii: "\""))
    for byte in field.utf8 {
      if byte == UInt8(ascii: "\"") { output.append(byte) }
      output.append(byte)
    }
    output.append(UInt8(ascii: "\""))
  }

  /// RFC 4180 keeps spaces at an end without quotes, but many programs cut them off. A null byte without quotes is a fault.
  private func needsQuotes(_ field: String) -> Bool {
    field.utf8.first == 0x20 || field.utf8.last == 0x20
      || field.utf8.contains {
        $0 == separator || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r")
          || $0 == 0
      }
  }
}
