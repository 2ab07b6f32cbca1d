import Core
import JSON
import TableReading
import TaskAPI

/// The meanings of the words of a file, as the caller says them: `priority:"hoch=1,mittel=5"`.
package struct ValueMap: Sendable, Equatable {
  private var fields: [String: [String: String]] = [:]

  package init() {}

  /// Reads `FIELD:WORD=VALUE,WORD=VALUE,FIELD:…`. A word with a comma, a colon, an equals sign or a quote is in double quotes, and
  /// its quotes are doubled. All the pairs of a field may be in double quotes, too.
  package init(parsing text: String) throws(ImportError) {
    var reader = NameReader(text)
    var field: String?
    repeat {
      var word = reader.name(until: [":", "=", ","])
      if reader.skips(":") {
        field = word?.text
        word = reader.name(until: [":", "=", ","])
        if let pairs = word, pairs.isQuoted, reader.rest.first != "=" {
          var inner = NameReader(pairs.text)
          repeat { try add(inner.name(until: ["=", ","])?.text, to: field, &inner, text) } while inner.skips(",")
          continue
        }
      }
      try add(word?.text, to: field, &reader, text)
    } while reader.skips(",")
    guard reader.rest.isEmpty else { throw Self.problem(text, "has text behind quotes: \(reader.rest)") }
  }

  /// Adds a word with the value that is read behind it.
  private mutating func add(
    _ word: String?, to field: String?, _ reader: inout NameReader, _ text: String
  ) throws(ImportError) {
    guard let word else { throw Self.problem(text, "has a quote that is never closed") }
    guard let field else { throw Self.problem(text, "does not say which field \"\(word)\" belongs to") }
    guard reader.skips("=") else { throw Self.problem(text, "has no '=' behind \"\(word)\"") }
    guard let value = reader.name(until: [","])?.text else {
      throw Self.problem(text, "has a quote that is never closed")
    }
    try add(word, to: field, meaning: value)
  }

  /// Adds a word of a field. Throws for a value that the field cannot have.
  package mutating func add(_ word: String, to field: String, meaning value: String) throws(ImportError) {
    let name = TaskField(spelled: field)?.rawValue ?? field
    guard !name.isEmpty, !word.isEmpty else {
      throw Self.problem("\(field):\(word)=\(value)", "has a part without a \(name.isEmpty ? "field" : "word")")
    }
    if let expected = Self.expected(name), Self.read(value, for: name) == nil {
      throw ImportError(
        kind: .invalidMap, message: "\"\(word)\" of \(name) cannot mean \"\(value)\": expected \(expected)",
        hint: "write \(Self.example)")
    }
    fields[name, default: [:]][Self.plain(word)] = value
  }

  /// The fields that have words.
  var names: [String] { fields.keys.sorted() }

  /// The words of a field with their meanings; nil without one.
  func words(of field: String) -> Words? { fields[field].map { Words(meanings: $0) } }

  struct Words: Sendable {
    fileprivate let meanings: [String: String]

    /// The value that the caller has given for this one; nil for another one.
    func meaning(of value: JSON) -> JSON? {
      switch value {
      case .null, .array, .object: nil
      default: meanings[ValueMap.plain(value.plainText)].map { .string($0) }
      }
    }
  }

  private static func plain(_ word: String) -> String { word[...].trimmed.lowercased() }

  private static func expected(_ field: String) -> String? {
    switch field {
    case TaskField.priority.rawValue: "a number from 1, the highest, to 9, or 0 for none"
    case TaskField.completed.rawValue: "true or false"
    default: nil
    }
  }

  private static func read(_ value: String, for field: String) -> JSON? {
    if field == TaskField.completed.rawValue {
      let word = CompletionValue.word(value, isPercentage: false)
      return word == .done ? true : word == .open ? false : nil
    }
    return FieldValue.priority(.string(value), .highestFirst).flatMap {
      (0...9).contains($0) ? .integer(Int64($0)) : nil
    }
  }

  /// The option of the command line that gives these words a value.
  static func option(_ field: String, _ pairs: [(word: String, value: String)]) -> String {
    let text = pairs.map { "\(quoted($0.word))=\($0.value)" }.joined(separator: ",")
    let isPlain = text.allSatisfy { $0.isLetter || $0.isNumber || "=,-_".contains($0) }
    return isPlain ? "--values \(field):\(text)" : "--values '\(field):\(text.replacing("'", with: "'\\''"))'"
  }

  private static func quoted(_ word: String) -> String {
    let isPlain = word.allSatisfy { $0.isLetter || $0.isNumber || " -_.!#*".contains($0) }
    return isPlain ? word : "\"\(word.replacing("\"", with: "\"\""))\""
  }

  private static let example = "FIELD:WORD=VALUE, as in priority:hoch=1,mittel=5"

  private static func problem(_ text: String, _ problem: String) -> ImportError {
    ImportError(kind: .invalidMap, message: "the values \"\(text)\" \(problem)", hint: "write \(example)")
  }
}
