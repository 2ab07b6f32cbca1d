import Core
package import Files

/// The permissions that the command line gives.
package struct Grants: Sendable, Equatable {
  /// `-A`
  package var allowsEverything = false
  /// The kinds that were allowed without a value, which is all of that kind.
  private(set) var whole: Set<Permission> = []
  /// By kind, in order.
  private(set) var values: [Permission: [String]] = [:]

  package init() {}

  /// The permissions that flags give, such as those of a script's header. Another flag gives nothing.
  package init(flags: [String]) {
    for flag in flags {
      let parts = flag.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      if ["-A", "--allow-all"].contains(flag) {
        allowsEverything = true
      } else if let permission = Permission.allCases.first(where: { $0.flag == parts[0] }) {
        try? allow(permission, parts.count == 2 ? parts[1] : nil)
      }
    }
  }

  /// The flag that grants reading of a file, or of a folder with all that is in it, and no more.
  package static func reading(_ path: String) -> String { "\(Permission.read.flag)=\(spelled(path))" }

  /// True if the grants of reading, as they are written, have the path in them. No link is followed: nobody looks at files.
  package func mentionsReading(_ path: String, from base: ResolvedPath.Bytes) -> Bool {
    if allowsEverything || whole.contains(.read) { return true }
    let place = ResolvedPath(unresolved: Array(path.utf8), from: base)
    return (values[.read] ?? []).contains { place.isWithin(ResolvedPath(unresolved: Array($0.utf8), from: base)) }
  }

  /// As with `-A`.
  package static let everything: Grants = {
    var grants = Grants()
    grants.allowsEverything = true
    return grants
  }()

  /// One flag, such as `--allow-read=a,b`: values stand between commas, and two commas are one of a value's own. A nil
  /// `value` is all of that kind. Throws for a value that names nothing.
  package mutating func allow(_ permission: Permission, _ value: String?) throws(GrantError) {
    guard let value else { return allowAll(of: permission) }
    let parts = Self.split(value)
    for part in parts {
      guard !part.isEmpty else {
        throw GrantError("\(permission.flag): expected \(permission.placeholder) after the equals sign, got nothing")
      }
      if permission == .net { _ = try NetworkPlace(part) }
    }
    values[permission, default: []] += parts
  }

  mutating func allowAll(of permission: Permission) { whole.insert(permission) }

  static func split(_ text: String) -> [String] {
    text.split(separator: ",,", omittingEmptySubsequences: false).reduce(into: []) { parts, piece in
      let pieces = piece.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      let last = parts.popLast().map { "\($0),\(pieces[0])" }
      parts += [last ?? pieces[0]] + pieces.dropFirst()
    }
  }

  static func spelled(_ value: String) -> String { value.replacing(",", with: ",,") }
}

/// A permission flag that cannot be understood.
package struct GrantError: Failure {
  package let message: String
  package let hint: String?
  package var code: String { "usage" }

  init(_ message: String, hint: String? = nil) {
    self.message = message
    self.hint = hint
  }
}
