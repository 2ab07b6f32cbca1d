/// The parameters of a request (RFC 6749 §3.1, §3.2), none repeated but `resource`. One without a value counts as absent.
struct Parameters {
  private let values: [String: String]
  /// The repeated parameters, in alphabetical order.
  let repeated: [String]
  /// The values of `resource`, the only parameter that may be repeated (RFC 8707 §2).
  let resources: [String]
  /// True if the parameters were in a signed request object (RFC 9101).
  let isObject: Bool

  init(_ fields: [(String, String)], isObject: Bool = false) {
    self.isObject = isObject
    // The policy may be in both the query and the form, because it is part of the address.
    let names = Dictionary(grouping: fields.map(\.0)) { $0 }
    repeated = names.filter { $0.value.count > 1 && !["p", "resource"].contains($0.key) }.keys.sorted()
    resources = fields.filter { $0.0 == "resource" && !$0.1.isEmpty }.map(\.1)
    values = Dictionary(fields.filter { !$0.1.isEmpty }) { first, _ in first }
  }

  subscript(_ name: String) -> String? { values[name] }

  func words(_ name: String) -> [String] { (values[name] ?? "").split(separator: " ").map(String.init) }

  func required(_ name: String) throws(ProtocolError) -> String {
    guard let value = values[name] else { throw .missing(name) }
    return value
  }

  func checkRepetitions() throws(ProtocolError) {
    guard let name = repeated.first else { return }
    throw ProtocolError("invalid_request", "The request has the parameter '\(name)' more than once.")
  }
}
