/// The checks of a run: those that every part of the selection allows.
package struct Selection: Sendable {
  /// Nil for all profiles.
  package var profile: Profile?
  /// IDs or beginnings of IDs: `provider.code`, `provider.code.once`; `*` stands for any text. Empty for all.
  package var only: [String] = []
  /// The lowest level.
  package var level = Rule.Level.may

  package init() {}

  package func has(_ check: Check) -> Bool {
    check.rule.level >= level && profile.map(check.profiles.contains) != false
      && (only.isEmpty || only.contains { Self.matches(check.id, $0) })
  }

  /// The patterns of `only` that fit none of the checks.
  package func unknown(in checks: [Check]) -> [String] {
    only.filter { pattern in !checks.contains { Self.matches($0.id, pattern) } }
  }

  /// True if the ID is the pattern, or begins with it at a dot.
  static func matches(_ id: String, _ pattern: String) -> Bool {
    let parts = pattern.split(separator: "*", omittingEmptySubsequences: false)
    guard parts.count > 1 else { return id == pattern || id.hasPrefix(pattern + ".") }
    var rest = id[...]
    for (index, part) in parts.enumerated() where !part.isEmpty {
      if index == 0 {
        guard rest.hasPrefix(part) else { return false }
        rest = rest.dropFirst(part.count)
      } else if index == parts.count - 1 {
        return rest.hasSuffix(part)
      } else {
        guard let range = rest.firstRange(of: part) else { return false }
        rest = rest[range.upperBound...]
      }
    }
    return true
  }
}
