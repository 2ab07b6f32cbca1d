package import JSON

extension JSON {
  init(_ number: Int) { self = .integer(Int64(number)) }

  package func integer(_ name: String) -> Int? { self[name]?.lenientInteger.map { Int(clamping: $0) } }

  /// The elements of a list of `[name, value]`.
  package var pairs: [(name: String, value: String)] {
    (array ?? []).compactMap { pair in
      guard let parts = pair.array, parts.count == 2, let name = parts[0].string else { return nil }
      return (name, parts[1].plainText)
    }
  }

  /// A string as it is, anything else as JSON.
  package var plainText: String { string ?? encoded() }
}
