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

  /// The lines of an answer are split when a field is asked for: most answers are asked for a field or two, or for none.
  enum Storage: Sendable {
    case fields([Field])
    case lines(FieldLines)
  }

  /// The most fields of a request, and the most lines in the head of an answer.
  package static let most = 1000
  /// The most bytes of all fields.
  package static let mostBytes = 1 << 20

  private var storage: Storage

  package var fields: [Field] {
    switch storage {
    case .fields(let fields): fields
    case .lines(let lines): lines.fields()
    }
  }

  /// Changes the fields in their place: a copy at each change would make the time of many changes grow with its square.
  private mutating func change(_ body: (inout [Field]) -> Void) {
    var fields = self.fields
    storage = .fields([])
    body(&fields)
    storage = .fields(fields)
  }

  package init(_ fields: [(String, String)] = []) {
    storage = .fields(fields.map { Field(name: $0.0, value: $0.1) })
  }

  init(lines: [UInt8]) { storage = .lines(FieldLines(bytes: lines)) }

  package static func == (a: HTTPHeaders, b: HTTPHeaders) -> Bool { a.fields == b.fields }

  package init(dictionaryLiteral elements: (String, String)...) { self.init(elements) }

  /// The first value under that name; setting replaces all of them, nil removes them.
  package subscript(_ name: String) -> String? {
    get {
      if case .lines(let lines) = storage, !lines.mayHold(name) { return nil }
      let wanted = name.lowercased()
      return fields.first { $0.name.lowercased() == wanted }?.value
    }
    set {
      let wanted = name.lowercased()
      change { fields in
        fields.removeAll { $0.name.lowercased() == wanted }
        if let newValue { fields.append(Field(name: name, value: newValue)) }
      }
    }
  }

  /// Every value under that name.
  package func all(_ name: String) -> [String] {
    let wanted = name.lowercased()
    return fields.filter { $0.name.lowercased() == wanted }.map(\.value)
  }

  /// Adds a field behind the others; one of the same name stays.
  package mutating func append(_ name: String, _ value: String) {
    change { $0.append(Field(name: name, value: value)) }
  }
}

/// Field lines (RFC 9112, section 5), each ended by CR LF or LF. A line that starts with a space goes on with the value
/// before it; a line without a colon is passed over.
struct FieldLines: Sendable {
  let bytes: [UInt8]

  func fields() -> [HTTPHeaders.Field] {
    var fields: [HTTPHeaders.Field] = []
    forEachLine { line in
      if line.first == 0x20 || line.first == 0x09 {
        guard let last = fields.indices.last else { return true }
        fields[last].value += " " + Self.text(line)
      } else if let colon = line.firstIndex(of: UInt8(ascii: ":")) {
        fields.append(HTTPHeaders.Field(name: Self.text(line[..<colon]), value: Self.text(line[(colon + 1)...])))
      }
      return true
    }
    return fields
  }

  /// Returns true if the lines may hold a field of that name, in any letter case: false is certain.
  func mayHold(_ name: String) -> Bool {
    var isFound = false
    forEachLine { line in
      isFound = line.count > name.utf8.count && zip(line, name.utf8).allSatisfy { ($0 | 0x20) == ($1 | 0x20) }
      return !isFound
    }
    return isFound
  }

  /// Until `action` says false.
  private func forEachLine(_ action: (Slice<UnsafeRawBufferPointer>) -> Bool) {
    bytes.withUnsafeBytes { bytes in
      var start = 0
      while start < bytes.count {
        let end = bytes[start...].firstIndex(of: 0x0a) ?? bytes.count
        guard action(bytes[start..<end]) else { return }
        start = end + 1
      }
    }
  }

  private static func text(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0d }
    guard let first = bytes.firstIndex(where: { !isSpace($0) }), let last = bytes.lastIndex(where: { !isSpace($0) })
    else { return "" }
    return String(decoding: bytes[first...last], as: UTF8.self)
  }
}
