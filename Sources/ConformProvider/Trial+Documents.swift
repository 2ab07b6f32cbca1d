import Conform
import Core
import Crypto
import HTTPClient
import JSON

extension Trial {
  /// Looks at a member of the metadata. The check is not used without the member.
  /// - Parameter problem: the problem of the value; nil if there is none.
  func member(_ name: String, _ problem: (JSON) -> String?) throws -> Finding {
    guard let value = provider.metadata[name] else { throw EndOfProbe(.notUsed("no \(name) in the metadata")) }
    return problem(value).map { .broken("\(name) \($0)") } ?? .kept(Self.shown(name, value))
  }

  /// Looks for a member that has to be there.
  func required(_ name: String, _ problem: (JSON) -> String? = { _ in nil }) -> Finding {
    guard let value = provider.metadata[name], value != .null else { return .broken("the metadata has no \(name)") }
    return problem(value).map { .broken("\(name) \($0)") } ?? .kept(Self.shown(name, value))
  }

  /// Looks at the texts of a list in the metadata.
  func list(_ name: String, _ problem: ([String]) -> String?) throws -> Finding {
    try member(name) { value in
      guard let items = value.array else { return "is no list" }
      return problem(items.compactMap(\.string))
    }
  }

  /// All values of the list have to be among these.
  func values(_ name: String, among known: Set<String>) throws -> Finding {
    try list(name) { items in
      let others = items.filter { !known.contains($0) }
      return others.isEmpty ? nil : "has \(others.joined(separator: ", "))"
    }
  }

  /// The list must not have these values.
  func values(_ name: String, without forbidden: Set<String>) throws -> Finding {
    try list(name) { items in
      let found = items.filter(forbidden.contains)
      return found.isEmpty ? nil : "has \(found.joined(separator: ", "))"
    }
  }

  /// The list has to have this value.
  func values(_ name: String, with value: String) throws -> Finding {
    try list(name) { $0.contains(value) ? nil : "has no \(value): \($0.joined(separator: ", "))" }
  }

  /// The problem of an address that has to be https; http is allowed on this machine.
  func problem(ofAddress value: JSON) -> String? {
    guard let text = value.string, let origin = Origin(text) else { return "is no absolute address" }
    if origin.scheme == "https" || origin.isLoopback && provider.isLoopback { return nil }
    return "is not https: \(WebAddress(text).shown)"
  }

  private static func shown(_ name: String, _ value: JSON) -> String {
    let text = value.encoded()
    return "\(name) is \(text.count > 160 ? text.prefix(159) + "…" : text)"
  }

  /// A finding about a response that has been fetched before the checks.
  func finding(_ isKept: Bool, _ kept: String, _ broken: String) -> Finding { isKept ? .kept(kept) : .broken(broken) }
}

extension Base64URL {
  /// The number of bits of an integer in base64url; 0 for another text.
  static func bits(_ text: String?) -> Int {
    guard let bytes = text.flatMap({ decode($0) }) else { return 0 }
    let significant = bytes.drop { $0 == 0 }
    guard let first = significant.first else { return 0 }
    return significant.count * 8 - first.leadingZeroBitCount
  }

  static func beginsWithZero(_ text: String) -> Bool { decode(text)?.first == 0 }
}
