package import JSON

extension JSON {
  init(_ number: Int) { self = .integer(Int64(number)) }

  package func integer(_ name: String) -> Int? { self[name]?.traceInteger }

  /// A number of a trace, from 0 to 2^50 (35 years in microseconds): sums fit into an integer, whoever wrote the file.
  package var traceInteger: Int? { lenientInteger.map { Int(min(max($0, 0), 1 << 50)) } }

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
