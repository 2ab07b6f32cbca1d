package import JSON

/// The check of a tool's arguments by its JSON schema. It knows the words that tools of this program use: type, enum, properties,
/// required, additionalProperties, items, and the limits of numbers, texts and lists.
package struct InputSchema: Sendable {
  private let schema: JSON

  package init(_ schema: JSON) { self.schema = schema }

  /// The first problem with the arguments, which names the argument; nil for arguments that fit.
  package func problem(with arguments: [String: JSON]) -> String? {
    Self.problem(with: .object(arguments), schema, at: "")
  }

  private static func problem(with value: JSON, _ schema: JSON, at place: String) -> String? {
    let prefix = place.isEmpty ? "" : "\(place): "
    let types = schema["type"]?.array?.compactMap(\.string) ?? schema["type"]?.string.map { [$0] } ?? []
    if !types.isEmpty, !types.contains(where: { isOf($0, value) }) {
      return "\(prefix)expected \(types.map(name).joined(separator: " or "))"
    }
    if let choices = schema["enum"]?.array, !choices.contains(value) {
      return "\(prefix)expected one of \(choices.map { $0.string ?? $0.encoded() }.joined(separator: ", "))"
    }
    switch value {
    case .object(let members):
      return members.isEmpty && schema["required"] == nil ? nil : problem(in: members, schema, at: place)
    case .array(let elements):
      if let most = schema["maxItems"]?.lenientInteger, elements.count > Int(most) {
        return "\(prefix)expected at most \(most) elements, got \(elements.count)"
      }
      if let least = schema["minItems"]?.lenientInteger, elements.count < Int(least) {
        return "\(prefix)expected at least \(least) elements, got \(elements.count)"
      }
      guard let items = schema["items"] else { return nil }
      for (index, element) in elements.enumerated() {
        if let problem = problem(with: element, items, at: "\(place)[\(index)]") { return problem }
      }
      return nil
    case .string(let text):
      if let most = schema["maxLength"]?.lenientInteger, text.unicodeScalars.count > Int(most) {
        return "\(prefix)expected at most \(most) characters, got \(text.unicodeScalars.count)"
      }
      return nil
    case .integer, .number:
      let number = value.anyNumber ?? 0
      if let least = schema["minimum"]?.anyNumber, number < least { return "\(prefix)expected at least \(least)" }
      if let most = schema["maximum"]?.anyNumber, number > most { return "\(prefix)expected at most \(most)" }
      return nil
    case .null, .bool: return nil
    }
  }

  private static func problem(in members: [String: JSON], _ schema: JSON, at place: String) -> String? {
    let prefix = place.isEmpty ? "" : "\(place): "
    for name in schema["required"]?.array?.compactMap(\.string) ?? [] where members[name] == nil {
      return "\(prefix)\(name) is missing"
    }
    let properties = schema["properties"]?.object ?? [:]
    for (name, value) in members.sorted(by: { $0.key < $1.key }) {
      let inner = place.isEmpty ? name : "\(place).\(name)"
      if let property = properties[name] {
        if let problem = problem(with: value, property, at: inner) { return problem }
      } else if schema["additionalProperties"] == false {
        return "\(prefix)there is no argument '\(name)': \(properties.keys.sorted().joined(separator: ", "))"
      }
    }
    return nil
  }

  private static func isOf(_ type: String, _ value: JSON) -> Bool {
    switch value {
    case .null: type == "null"
    case .bool: type == "boolean"
    case .integer: type == "integer" || type == "number"
    case .number(let number): type == "number" || type == "integer" && Int64(exactly: number) != nil
    case .string: type == "string"
    case .array: type == "array"
    case .object: type == "object"
    }
  }

  private static func name(_ type: String) -> String {
    switch type {
    case "integer": "a whole number"
    case "array": "a list"
    case "object": "an object"
    case "string": "a text"
    case "boolean": "true or false"
    case "null": "null"
    default: "a \(type)"
    }
  }
}
