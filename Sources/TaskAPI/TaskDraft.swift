import Core
import HTTPClient
package import JSON

/// A task to add.
package struct TaskDraft: Sendable, Equatable {
  package var text: String
  /// Other fields: those of `TaskField` by their names in scripts, and others by the names that the server uses.
  package var fields: [String: JSON]
  /// The fields of which the reader of the row could not keep everything, each with the reason.
  package var unread: [String: String] = [:]
  /// The name that the source of an import has for the task; the `parent` of its other rows says it. No service gets it.
  package var sourceID: String?
  /// The ID that the source has for the list whose name the field `list` says. It counts only at a service with that list.
  package var listID: String?
  /// True if `parent` is the ID of a task also in an import whose rows have names.
  package var hasParentID = false
  /// The task that is changed or removed in place of a new one. Then the fields are those that get other values.
  package var edit: TaskEdit?

  package init(text: String, fields: [String: JSON] = [:]) {
    self.text = text
    self.fields = fields
  }

  /// The same with the common fields checked and in their one form, however they are spelled.
  /// - Throws: an error that names the field.
  package func normalized() throws(TaskFieldError) -> TaskDraft {
    guard !fields.isEmpty else { return self }
    var draft = self
    draft.fields = try Self.normalized(fields).compactMapValues { $0 }
    draft.inferCompletion()
    return draft
  }

  /// The fields of a change in the same forms; null for those that are to be removed.
  package static func change(_ fields: [String: JSON]) throws(TaskFieldError) -> [String: JSON] {
    // A script says `false` where a table cannot hold null.
    let plain = fields.map { name, value in
      (name, value == .bool(false) && TaskField(spelled: name) != .completed ? JSON.null : value)
    }
    let changes = try normalized(Dictionary(uniqueKeysWithValues: plain)).mapValues { $0 ?? .null }
    return TaskField.isDone(changes) ? changes.merging(["completed": true]) { said, _ in said } : changes
  }

  /// The name of `listID` among the fields of a row.
  package static let listIDName = "list_id"

  package mutating func takeListID() {
    guard let id = fields.removeValue(forKey: Self.listIDName) else { return }
    listID = id.plainText
  }

  /// Takes the member `source_id` out of the fields: no server gets it.
  package mutating func takeSourceID() {
    guard let value = fields.removeValue(forKey: Self.sourceIDName) else { return }
    sourceID = Self.sourceID(value)
  }

  /// The name that a value of a source gives a task; nil for a blank one.
  package static func sourceID(_ value: JSON) -> String? {
    guard value != .null else { return nil }
    let text = value.plainText
    guard text.first == " " || text.last == " " else { return text.isEmpty ? nil : text }
    let trimmed = text.split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ")
    return trimmed.isEmpty ? nil : trimmed
  }

  package static let sourceIDName = "source_id"

  /// A task with the time of its completion is done, unless it says that it is not.
  package mutating func inferCompletion() { if TaskField.isDone(fields) { fields["completed"] = true } }

  private static func normalized(_ fields: [String: JSON]) throws(TaskFieldError) -> [String: JSON?] {
    var result: [String: JSON?] = [:]
    for (name, value) in fields {
      guard let field = TaskField(spelled: name) else {
        result[name] = .some(value)
        continue
      }
      guard result.updateValue(try field.normalized(value), forKey: field.rawValue) == nil else {
        throw TaskFieldError("the field \(field.rawValue) is there twice, in two spellings")
      }
    }
    return result
  }

  /// The fields of a request by the names of the API.
  static func wire(_ fields: [String: JSON]) -> [String: JSON] {
    Dictionary(fields.map { (TaskField(rawValue: $0)?.wireName ?? $0, $1) }) { first, _ in first }
  }

  /// Both servers take the text under this name alone.
  private static let textName = "Text"

  fileprivate var form: [UInt8] {
    guard fields.isEmpty else { return URLEncodedForm.bytes(formFields) }
    var bytes: [UInt8] = []
    URLEncodedForm.append(Self.textName, text, to: &bytes)
    return bytes
  }

  /// The text first, then the other fields by name.
  fileprivate var formFields: [(String, String)] {
    let others = Self.wire(fields).sorted { $0.key < $1.key }.filter { $0.key != Self.textName }
    return [(Self.textName, text)] + others.map { ($0.key, $0.value.plainText) }
  }

  fileprivate var json: JSON { .object(Self.wire(fields).merging([Self.textName: .string(text)]) { _, text in text }) }
}

enum TaskEncoding: Sendable {
  case form
  case json
  case multipart(MultipartForm)

  static let names = ["application/x-www-form-urlencoded", "application/json", "multipart/form-data"]

  /// The encoding of that media type, whatever its parameters and letter case; nil for an unknown one.
  init?(contentType: String) {
    let mediaType = contentType.prefix { $0 != ";" }.lowercased().filter { !$0.isWhitespace }
    switch mediaType {
    case Self.names[0]: self = .form
    case Self.names[1]: self = .json
    case Self.names[2]: self = .multipart(MultipartForm())
    default: return nil
    }
  }

  var contentType: String {
    switch self {
    case .form: Self.names[0]
    case .json: Self.names[1]
    case .multipart(let form): form.contentType
    }
  }

  func encode(_ draft: TaskDraft) -> [UInt8] {
    switch self {
    case .form: draft.form
    case .json: Array(draft.json.encoded().utf8)
    case .multipart(let form): form.encode(draft.formFields.map { .init($0.0, $0.1) })
    }
  }
}
