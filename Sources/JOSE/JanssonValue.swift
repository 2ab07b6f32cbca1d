import CJansson

/// Owns one reference to a value of jansson's.
///
/// Sendable though jansson is C: a value is never changed after it was shared, and jansson's reference counts are
/// atomic ("thread safe for all read-only functions plus reference counting", jansson.h).
final class JanssonValue: @unchecked Sendable {
  let pointer: UnsafeMutablePointer<json_t>

  /// Takes over the caller's reference.
  init?(owning pointer: UnsafeMutablePointer<json_t>?) {
    guard let pointer else { return nil }
    self.pointer = pointer
  }

  init(parsing bytes: [UInt8]) throws(JSONError) {
    let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let text = bytes.starts(with: byteOrderMark) ? bytes[3...] : bytes[...]
    guard !text.isEmpty else { throw JSONError(reason: "the text is empty") }
    var error = json_error_t()
    let flags = JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_ALLOW_NUL
    let parsed = text.withUnsafeBytes { buffer in
      json_loadb(buffer.baseAddress, buffer.count, Int(flags), &error)
    }
    guard let parsed else { throw JSONError(error) }
    pointer = parsed
  }

  /// A copy of `json` for functions of libjose.
  convenience init(_ json: JSON) throws(JSONError) {
    try self.init(parsing: Array(json.encoded().utf8))
  }

  deinit { json_decref(pointer) }

  /// The text of a member, or nil.
  func string(_ name: String) -> String? {
    json_string_value(json_object_get(pointer, name)).map { String(cString: $0) }
  }
}

extension JSONError {
  fileprivate init(_ error: json_error_t) {
    let text = withUnsafeBytes(of: error.text) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    self.init(reason: text, line: error.line > 0 ? Int(error.line) : nil, column: Int(max(error.column, 1)))
  }
}
