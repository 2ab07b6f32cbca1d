package import CJansson
import Glibc

/// An owner of one reference to a value of jansson. It is Sendable: a value is never changed after it was shared, and
/// the reference counts are atomic ("thread safe for all read-only functions plus reference counting", jansson.h).
package final class JanssonValue: @unchecked Sendable {
  package let pointer: UnsafeMutablePointer<json_t>

  /// Takes the caller's reference.
  package init?(owning pointer: UnsafeMutablePointer<json_t>?) {
    guard let pointer else { return nil }
    self.pointer = pointer
  }

  init(parsing bytes: UnsafeRawBufferPointer) throws(JSONError) { pointer = try Self.load(bytes) }

  /// A copy of `json` for functions of libjose.
  package init(_ json: JSON) throws(JSONError) {
    let text = Array(json.encoded().utf8)
    pointer = try text.span.bytes.withUnsafeBytes { (bytes) throws(JSONError) in try Self.load(bytes) }
  }

  private static func load(_ bytes: UnsafeRawBufferPointer) throws(JSONError) -> UnsafeMutablePointer<json_t> {
    let hasByteOrderMark = bytes.count >= 3 && bytes[0] == 0xEF && bytes[1] == 0xBB && bytes[2] == 0xBF
    let text = UnsafeRawBufferPointer(rebasing: hasByteOrderMark ? bytes[3...] : bytes[...])
    guard !text.isEmpty else { throw JSONError(reason: "the text is empty") }
    var error = json_error_t()
    let flags = JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_ALLOW_NUL
    guard let value = json_loadb(text.baseAddress, text.count, Int(flags), &error) else {
      var problem = JSONError(error)
      if let end = Self.endBehindComma(text, before: Int(error.position)) {
        problem.reason += "; remove the comma in front of the '\(end)'"
      }
      throw problem
    }
    // jansson passes over a NUL behind a number.
    if let start = text.baseAddress, let found = memchr(start, 0, text.count) {
      json_decref(value)
      var place = TextPlace()
      place.advance(to: UnsafeRawPointer(found) - start, in: text)
      throw JSONError(reason: "there is a NUL", line: place.line, column: place.column)
    }
    return value
  }

  /// The bracket that ends a list or an object directly behind a comma: JavaScript allows that, JSON does not.
  /// - Parameter position: the number of bytes that the parser had read.
  private static func endBehindComma(_ text: UnsafeRawBufferPointer, before position: Int) -> Character? {
    let blanks = [UInt8](" \t\r\n".utf8)
    let taken = text.prefix(max(0, position))
    guard let end = taken.last, [UInt8(ascii: "]"), UInt8(ascii: "}")].contains(end),
      taken.dropLast().last(where: { !blanks.contains($0) }) == UInt8(ascii: ",")
    else { return nil }
    return Character(Unicode.Scalar(end))
  }

  deinit { json_decref(pointer) }

  /// The text of a member, or nil.
  package func string(_ name: String) -> String? {
    json_string_value(json_object_get(pointer, name)).map { String(cString: $0) }
  }
}

extension JSONError {
  fileprivate init(_ error: json_error_t) {
    let text = withUnsafeBytes(of: error.text) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    self.init(reason: text, line: error.line > 0 ? Int(error.line) : nil, column: Int(max(error.column, 1)))
  }
}
