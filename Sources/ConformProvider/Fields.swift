import Core

/// The fields of a form or of a query, in their order. A name may stand more than once.
struct Fields: Sendable, ExpressibleByDictionaryLiteral {
  private(set) var list: [(String, String)]

  init(_ list: [(String, String)] = []) { self.list = list }
  init(dictionaryLiteral elements: (String, String)...) { list = elements }

  /// The first value of the name. Nil removes the field.
  subscript(_ name: String) -> String? {
    get { list.first { $0.0 == name }?.1 }
    set {
      guard let newValue else { return list.removeAll { $0.0 == name } }
      if let index = list.firstIndex(where: { $0.0 == name }) {
        list[index].1 = newValue
      } else {
        list.append((name, newValue))
      }
    }
  }

  /// Adds a field behind the others, also a second one of that name.
  mutating func add(_ name: String, _ value: String) { list.append((name, value)) }

  var encoded: String { URLEncodedForm.encode(list) }
}
