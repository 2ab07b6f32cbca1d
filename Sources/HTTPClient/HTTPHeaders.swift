/// Header fields in the order they were given, looked up without regard to letter case (RFC 9110, 5.1).
package struct HTTPHeaders: Sendable, Equatable, ExpressibleByDictionaryLiteral {
  package struct Field: Sendable, Equatable {
    package var name: String
    package var value: String

    package init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  /// Most answers are asked for a field or two, or for none: their lines are taken apart when they are.
  enum Storage: Sendable {
    case fields([Field])
    case lines(FieldLines)
  }

  private var storage: Storage

  package private(set) var fields: [Field] {
    get {
      switch storage {
      case .fields(let fields): fields
      case .lines(let lines): lines.fields()
      }
    }
    set { storage = .fields(newValue) }
  }

  package init(_ fields: [(String, String)] = []) {
    storage = .fields(fields.map { Field(name: $0.0, value: $0.1) })
  }

  /// The field lines of an answer, as they came.
  init(lines: [UInt8]) {
    storage = .lines(FieldLines(bytes: lines))
  }

  package static func == (a: HTTPHeaders, b: HTTPHeaders) -> Bool { a.fields == b.fields }

  package init(dictionaryLiteral elements: (String, String)...) {
    self.init(elements)
  }

  /// The first value under that name; setting replaces all of them, nil removes them.
  package subscript(_ name: String) -> String? {
    get {
      if case .lines(let lines) = storage, !lines.mayHold(name) { return nil }
      let wanted = name.lowercased()
      return fields.first { $0.name.lowercased() == wanted }?.value
    }
    set {
      let wanted = name.lowercased()
      fields.removeAll { $0.name.lowercased() == wanted }
      if let newValue { fields.append(Field(name: name, value: newValue)) }
    }
  }

  /// Every value under that name.
  package func all(_ name: String) -> [String] {
    let wanted = name.lowercased()
    return fields.filter { $0.name.lowercased() == wanted }.map(\.value)
  }

  /// Adds a field behind the others; one of the same name stays.
  package mutating func append(_ name: String, _ value: String) {
    fields.append(Field(name: name, value: value))
  }
}
