import JSON

/// True if the body of a 200 or 201 confirms what was asked.
enum AnswerBody {
  /// An empty body confirms a new task, as does a JSON object with the task's text or ID and without an error.
  static func confirmsAdding(_ body: [UInt8]) -> Bool {
    body.withUnsafeBytes { bytes in
      let bytes = trimmed(bytes)
      guard !bytes.isEmpty else { return true }
      guard bytes[0] == UInt8(ascii: "{") else { return false }
      if let answer = confirmsPlainly(bytes) { return answer }
      guard let json = try? JSON(parsing: Array(bytes)), let task = APITask(json) else { return false }
      return !hasError(json) && (!task.text.isEmpty || task.id.map { $0 != "" } ?? false)
    }
  }

  /// An empty body confirms a removal, as does any JSON without an error.
  static func confirmsRemoving(_ body: [UInt8]) -> Bool {
    guard body.contains(where: { !isBlank($0) }) else { return true }
    guard let json = try? JSON(parsing: body) else { return false }
    return !hasError(json)
  }

  static func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || (9...13).contains(byte)
  }

  private static func trimmed(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    guard let start = bytes.firstIndex(where: { !isBlank($0) }), let end = bytes.lastIndex(where: { !isBlank($0) })
    else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    return UnsafeRawBufferPointer(rebasing: bytes[start...end])
  }

  /// The answer for a plain object, as nearly all are, by one pass over its bytes; nil for others.
  private static func confirmsPlainly(_ bytes: UnsafeRawBufferPointer) -> Bool? {
    var reader = PlainTask.Reader(bytes: bytes, position: 1)
    var isTask = false
    repeat {
      guard let name = reader.string(), reader.take(UInt8(ascii: ":")), let value = reader.scalar() else { return nil }
      let key = reader.key(name)
      if errorKeys.contains(key) { return nil }
      if !isTask, !value.isNull, !value.range.isEmpty { isTask = taskKeys.contains(key) }
    } while reader.take(UInt8(ascii: ","))
    guard reader.take(UInt8(ascii: "}")), reader.position == bytes.count else { return nil }
    return isTask
  }

  private static let errorNames = ["error", "Error", "errors", "Errors"]
  private static let errorKeys = errorNames.map(PlainTask.Reader.key)
  private static let taskKeys = (APITask.idNames + APITask.textNames).map(PlainTask.Reader.key)

  /// True if the object names an error. Servers that always have the member leave it empty in a success.
  private static func hasError(_ json: JSON) -> Bool {
    errorNames.contains { name in
      switch json[name] {
      case nil, .null, .bool(false), .integer(0), .string(""), .array([]), .object([:]): false
      default: true
      }
    }
  }
}
