import JSON

/// Decides whether the body of a 200 or 201 confirms the request.
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

  static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || (9...13).contains(byte) }

  private static func trimmed(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    guard let start = bytes.firstIndex(where: { !isBlank($0) }), let end = bytes.lastIndex(where: { !isBlank($0) })
    else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    return UnsafeRawBufferPointer(rebasing: bytes[start...end])
  }

  /// The answer for a plain object, which is nearly every one, at the cost of one pass over it; nil for others.
  private static func confirmsPlainly(_ bytes: UnsafeRawBufferPointer) -> Bool? {
    var reader = PlainTask.Reader(bytes: bytes, position: 1)
    var isTask = false
    repeat {
      guard let name = reader.string(), reader.take(UInt8(ascii: ":")), let value = reader.scalar() else { return nil }
      switch name.count {
      case 5, 6: if errorNames.contains(where: { reader.holds(name, $0) }) { return nil }
      case 2...4 where !isTask && !value.isNull && !value.range.isEmpty:
        isTask = taskNames.contains { reader.holds(name, $0) }
      default: break
      }
    } while reader.take(UInt8(ascii: ","))
    guard reader.take(UInt8(ascii: "}")), reader.position == bytes.count else { return nil }
    return isTask
  }

  private static let taskNames = APITask.idNames + APITask.textNames
  private static let errorNames = ["error", "Error", "errors", "Errors"]

  /// True if the object names an error. Servers that always send the member leave it empty in a success.
  private static func hasError(_ json: JSON) -> Bool {
    errorNames.contains { name in
      switch json[name] {
      case nil, .null, .bool(false), .integer(0), .string(""), .array([]), .object([:]): false
      default: true
      }
    }
  }
}
