/// The checks of a run: those that every part of the selection allows.
package struct Selection: Sendable {
  /// Nil for the checks that concern every provider of OAuth or OpenID Connect: not for those of a stricter profile alone.
  package var profile: Profile?
  /// True to show the checks of all profiles if none is named.
  package var hasAllProfiles = false
  /// IDs or beginnings of IDs: `provider.code`, `provider.code.once`; `*` stands for any text. Empty for all.
  package var only: [String] = []
  /// The lowest level.
  package var level = Rule.Level.may

  package init() {}

  package func has(_ check: Check) -> Bool {
    check.rule.level >= level && isOfProfile(check)
      && (only.isEmpty || only.contains { Self.matches(check.id, $0) })
  }

  private func isOfProfile(_ check: Check) -> Bool {
    if let profile { return check.profiles.contains(profile) }
    return hasAllProfiles || !only.isEmpty || !check.profiles.isDisjoint(with: [.oauth21, .oidc])
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
