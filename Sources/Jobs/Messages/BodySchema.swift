import Core
package import JSON

/// The fields of an object that a program sends. The same description reads the object and is shown to those who write it.
package struct BodySchema: Sendable {
  package struct Field: Sendable {
    let name: String
    let kind: Kind
    var isRequired = false
  }

  enum Kind: Sendable {
    case text, wholeNumber, object
    case texts(most: Int, longest: Int)
  }

  let fields: [Field]

  /// The error of an object that does not fit. Its message names the field.
  static func failure(_ message: String, hint: String? = nil) -> JobError {
    JobError("bad_request", message, hint: hint)
  }

  /// The members of an object. Throws `bad_request` for anything else: another type, an unknown or missing field.
  func members(of body: JSON) throws(JobError) -> [String: JSON] {
    guard let members = body.object else { throw Self.failure("expected a JSON object, got \(body.kind)") }
    for name in members.keys.sorted() {
      guard let field = fields.first(where: { $0.name == name }) else {
        let known = fields.map(\.name)
        throw Self.failure(
          "there is no field \"\(name.displayable.clipped(to: 60))\" here",
          hint: known.isEmpty ? "send {}" : "the fields are \(known.joined(separator: ", "))")
      }
      guard let value = members[name] else { continue }
      if let problem = field.kind.problem(value) { throw Self.failure("\(name): \(problem)") }
    }
    if let missing = fields.first(where: { $0.isRequired && members[$0.name] == nil }) {
      throw Self.failure("\(missing.name): is missing, expected \(missing.kind.phrase)")
    }
    return members
  }

  /// The members of the object in a body. A body without bytes is an object without fields.
  package func members(ofBody bytes: [UInt8]) throws(JobError) -> [String: JSON] {
    guard !bytes.isEmpty else { return try members(of: .object([:])) }
    let body: JSON
    do { body = try JSON(parsing: bytes) } catch { throw Self.failure("the body is no JSON: \(error.message)") }
    return try members(of: body)
  }

  /// As JSON Schema, for an OpenAPI document.
  package var json: JSON {
    var members: [String: JSON] = [
      "type": "object", "additionalProperties": false,
      "properties": .object(Dictionary(fields.map { ($0.name, $0.kind.json) }) { $1 }),
    ]
    let required = fields.filter(\.isRequired).map { JSON.string($0.name) }
    if !required.isEmpty { members["required"] = .array(required) }
    return .object(members)
  }
}

extension BodySchema.Kind {
  fileprivate var phrase: String {
    switch self {
    case .text: "a string"
    case .wholeNumber: "a whole number"
    case .object: "an object"
    case .texts: "a list of strings"
    }
  }

  /// Why a value is none of this kind; nil if it is one.
  fileprivate func problem(_ value: JSON) -> String? {
    switch (self, value) {
    case (.text, .string(let text)): return StoredName.problem(text)
    case (.wholeNumber, .integer), (.object, .object): return nil
    case (.texts(let most, let longest), .array(let list)):
      guard list.count <= most else { return "expected at most \(most) strings, got \(list.count)" }
      for element in list {
        guard let text = element.string else { return "expected \(phrase), got \(element.kind) in it" }
        guard text.utf8.count <= longest else { return "a string has at most \(longest) bytes, got \(text.utf8.count)" }
        guard !text.utf8.contains(0) else { return "a string contains a NUL character" }
      }
      return nil
    default: return "expected \(phrase), got \(value.kind)"
    }
  }

  fileprivate var json: JSON {
    switch self {
    case .text: ["type": "string", "maxLength": .integer(Int64(StoredName.most))]
    case .wholeNumber: ["type": "integer"]
    case .object: ["type": "object"]
    case .texts(let most, let longest):
      [
        "type": "array", "maxItems": .integer(Int64(most)),
        "items": ["type": "string", "maxLength": .integer(Int64(longest))],
      ]
    }
  }
}
