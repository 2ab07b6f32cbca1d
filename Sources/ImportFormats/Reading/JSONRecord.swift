import JSON

/// Makes a record of a JSON value that should be a task.
enum JSONRecord {
  /// The member of an object in a file of failed rows, `FILE.failed.ndjson`, that says why the row failed.
  static let failureName = "_import"

  static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }

  /// - Parameter bytes: the text of `value`.
  static func content(_ value: JSON, _ bytes: UnsafeRawBufferPointer) -> SourceRecord.Content {
    switch value {
    case .object(let members): content(members)
    case .string: .value(value)
    default: malformed("expected an object or a text, got \(value.kindName)", bytes)
    }
  }

  static func malformed(_ problem: String, _ bytes: UnsafeRawBufferPointer) -> SourceRecord.Content {
    .malformed(
      code: ImportError.Kind.invalidJSON.rawValue, reason: problem, fields: [String(decoding: bytes, as: UTF8.self)])
  }

  /// The content of an object, without the reason of an earlier failure. An object with nothing else is a row that
  /// could not be read, and stays malformed.
  private static func content(_ members: [String: JSON]) -> SourceRecord.Content {
    guard let failure = members[failureName] else { return .value(.object(members)) }
    var rest = members
    rest[failureName] = nil
    guard rest.isEmpty else { return .value(.object(rest)) }
    let fields = failure["fields"]?.array?.compactMap(\.string) ?? []
    return .malformed(
      code: failure["code"]?.string ?? ImportError.Kind.raggedRow.rawValue,
      reason: failure["reason"]?.string ?? "an earlier import could not read this row", fields: fields)
  }
}

extension JSON {
  var kindName: String {
    switch self {
    case .null: "null"
    case .bool: "a boolean"
    case .integer, .number: "a number"
    case .string: "a text"
    case .array: "an array"
    case .object: "an object"
    }
  }
}
