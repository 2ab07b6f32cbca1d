import Core

extension ScriptHeader {
  /// A flag in a line `needs:` that is no permission.
  package struct Mistake: Sendable, Equatable {
    /// From 1.
    package let line: Int
    /// As it may be shown on a screen.
    package let message: String
    package let hint: String?

    fileprivate init(_ line: Int, _ message: String, _ hint: String?) {
      self.line = line
      self.message = Access.printable(message)
      self.hint = hint.map(Access.printable)
    }
  }

  package var mistakes: [Mistake] {
    needs.flatMap { need in
      (need.flags + [need.bareFlag].compactMap(\.self)).compactMap { flag in
        Self.problem(flag).map { Mistake(need.line, "needs: \($0.message)", $0.hint) }
      }
    }
  }

  /// The flags it names that are permissions. Others are not, so that a header cannot slip another option in.
  package var flags: [String] { needs.flatMap(\.flags).filter { Self.problem($0) == nil } }

  private static let everything = ["-A", "--allow-all"]

  /// The problem with a flag in the words of the command line; nil for a permission.
  private static func problem(_ flag: String) -> (message: String, hint: String?)? {
    if everything.contains(flag) { return nil }
    let parts = flag.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    if everything.contains(parts[0]) { return ("\(parts[0]) takes no value", nil) }
    guard let permission = Permission.allCases.first(where: { $0.flag == parts[0] }) else {
      let known = Permission.allCases.map(\.flag) + everything.suffix(1)
      let hint = nearestName(to: Self.dashed(parts[0]), in: known).map { "did you mean \($0)?" }
      return ("\(parts[0]) is no permission", hint ?? "permissions are \(known.joined(separator: ", "))")
    }
    guard parts.count == 2 else { return nil }
    var grants = Grants()
    do throws(GrantError) { try grants.allow(permission, parts[1]) } catch { return (error.message, error.hint) }
    return nil
  }

  /// With the two dashes a flag begins with, however many or few, or of which kind, are there.
  fileprivate static func dashed(_ word: String) -> String { "--" + word.drop { !$0.isLetter } }
}

extension ScriptHeader.Need {
  /// A flag without its dashes, with which the reason begins; nil where it begins with something else.
  fileprivate var bareFlag: String? {
    let word = String(reason.prefix { $0 != " " && $0 != "\t" })
    let name = ScriptHeader.dashed(String(word.prefix { $0 != "=" }))
    return nearestName(to: name, in: Permission.allCases.map(\.flag)) == nil ? nil : word
  }
}
