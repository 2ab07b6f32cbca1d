package import CJansson

extension JSON {
  /// The default limit for nested arrays and objects.
  package static let maximumDepth = 256

  /// Parses one JSON text in UTF-8, with or without a byte order mark, strictly (RFC 8259, RFC 7493). It refuses a name
  /// that occurs twice in one object, a NUL in a name, and an integer outside of `Int64`, which a floating-point number
  /// would silently change.
  package init(parsing bytes: UnsafeRawBufferPointer, maximumDepth: Int = JSON.maximumDepth) throws(JSONError) {
    let value = try JanssonValue(parsing: bytes)
    guard let converted = JSON(value.pointer, depth: maximumDepth) else {
      throw JSONError(reason: "arrays and objects nest more than \(maximumDepth) deep")
    }
    self = converted
  }

  package init(parsing bytes: [UInt8], maximumDepth: Int = JSON.maximumDepth) throws(JSONError) {
    self = try bytes.span.bytes.withUnsafeBytes { (bytes) throws(JSONError) in
      try JSON(parsing: bytes, maximumDepth: maximumDepth)
    }
  }

  package init(parsing text: String, maximumDepth: Int = JSON.maximumDepth) throws(JSONError) {
    try self.init(parsing: Array(text.utf8), maximumDepth: maximumDepth)
  }

  /// Nil if the value nests deeper than `depth`.
  package init?(_ value: UnsafeMutablePointer<json_t>, depth: Int) {
    switch value.pointee.type {
    case JSON_OBJECT:
      guard depth > 0 else { return nil }
      var members = [String: JSON](minimumCapacity: json_object_size(value))
      var iterator = json_object_iter(value)
      while let member = iterator {
        guard let name = json_object_iter_key(member),
          let child = json_object_iter_value(member), let converted = JSON(child, depth: depth - 1)
        else { return nil }
        members[Self.text(name, json_object_iter_key_len(member))] = converted
        iterator = json_object_iter_next(value, member)
      }
      self = .object(members)
    case JSON_ARRAY:
      guard depth > 0 else { return nil }
      let count = json_array_size(value)
      var elements: [JSON] = []
      elements.reserveCapacity(count)
      for index in 0..<count {
        guard let child = json_array_get(value, index), let converted = JSON(child, depth: depth - 1)
        else { return nil }
        elements.append(converted)
      }
      self = .array(elements)
    case JSON_STRING: self = .string(json_string_value(value).map { Self.text($0, json_string_length(value)) } ?? "")
    case JSON_INTEGER: self = .integer(json_integer_value(value))
    case JSON_REAL: self = .number(json_real_value(value))
    case JSON_TRUE: self = .bool(true)
    case JSON_FALSE: self = .bool(false)
    default: self = .null
    }
  }

  private static func text(_ start: UnsafePointer<CChar>, _ count: Int) -> String {
    start.withMemoryRebound(to: UInt8.self, capacity: count) {
      String(decoding: UnsafeBufferPointer(start: $0, count: count), as: UTF8.self)
    }
  }
}
