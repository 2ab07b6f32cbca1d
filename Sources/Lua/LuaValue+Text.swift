import Core

extension LuaValue {
  /// The text of a string; nil for anything else. Throws where its bytes are not UTF-8, rather than replace them.
  /// - Parameter place: what the string is, as the message begins: `task.text`.
  package func text(at place: @autoclosure () -> String) throws(LuaError) -> String? {
    guard case .bytes(let bytes) = self else { return nil }
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    throw LuaError(
      code: "invalid_utf8", message: "\(place()) is not UTF-8: \(Self.invalidByte(in: bytes))",
      hint: "convert the text to UTF-8 first")
  }

  /// Where the first byte is that is not UTF-8: `byte 0xE9 at offset 3`, counting from 0.
  package static func invalidByte(in bytes: [UInt8]) -> String {
    do throws(UTF8.ValidationError) {
      _ = try UTF8Span(validating: bytes.span)
      return "nothing"
    } catch {
      let offset = error.byteOffsets.lowerBound
      return "byte 0x\(String(bytes[offset], radix: 16, uppercase: true)) at offset \(offset)"
    }
  }
}
