import Core

/// The comment a script begins with: what it does, and what it says it needs.
package struct ScriptHeader: Sendable, Equatable {
  /// `-- needs: --allow-net=hooks.example.com  posts the summary there`. Saying so grants nothing.
  package struct Need: Sendable, Equatable {
    /// The flags as written, one after the other.
    package var flags: [String]
    /// Why; empty where it is not said.
    package var reason: String
    /// The line where it begins, from 1.
    package let line: Int

    /// Both as they may be shown on a screen.
    package var shownFlags: [String] { flags.map(Access.printable) }
    package var shownReason: String { Access.printable(reason) }

    /// A flag without its dashes, with which the reason begins; nil where it begins with something else.
    fileprivate var bareFlag: String? {
      let word = String(reason.prefix { $0 != " " && $0 != "\t" })
      let name = ScriptHeader.dashed(String(word.prefix { $0 != "=" }))
      return nearestName(to: name, in: Permission.allCases.map(\.flag)) == nil ? nil : word
    }
  }

  /// The text as it may be shown on a screen.
  package var shown: [String] { text.map(Access.printable) }

  /// The lines of the comment without its dashes and without the needs.
  package private(set) var text: [String] = []
  package private(set) var needs: [Need] = []

  /// - Parameter source: the whole script, or its beginning.
  package init(_ source: some Collection<UInt8>) {
    let mark = Array("needs:".utf8)
    var continues = false
    var rest = source[...]
    for number in 0... {
      let bytes = rest.prefix { $0 != UInt8(ascii: "\n") }
      rest = rest[bytes.endIndex...].dropFirst()
      var line = String(decoding: bytes, as: UTF8.self)
      if number == 0 { line = String(line.drop { $0 == "\u{FEFF}" }) }
      // A first line for the shell, or what is left of it.
      if number == 0, line.isEmpty || line.hasPrefix("#"), !rest.isEmpty { continue }
      line = String(line.drop { $0 == " " || $0 == "\t" })
      guard line.hasPrefix("--"), !line.hasPrefix("--[[") else { break }
      line = String(line.drop { $0 == "-" })
      let isIndented = line.hasPrefix("   ")
      line = Self.trimmed(line)
      if line.utf8.starts(with: mark) {
        needs.append(Self.need(String(line.dropFirst(mark.count)), line: number + 1))
        continues = true
      } else if continues, isIndented, !line.isEmpty {
        // A reason may go on in the next line, indented.
        needs[needs.count - 1].reason += (needs[needs.count - 1].reason.isEmpty ? "" : " ") + line
      } else {
        continues = false
        text.append(line)
      }
    }
    while text.last?.isEmpty == true { text.removeLast() }
    while text.first?.isEmpty == true { text.removeFirst() }
  }

  /// The reason that the script gives for a permission; nil where it gives none.
  package func reason(for access: Access) -> String? {
    let whole = access.obstacle == .action ? "--allow-all" : access.permission.flag
    let need =
      needs.first { $0.flags.contains(access.flag) }
      ?? needs.first { need in
        need.flags.contains {
          $0 == whole || $0.hasPrefix(whole + "=") && covers($0.dropFirst(whole.count + 1), access)
        }
      }
    return need.flatMap { $0.reason.isEmpty ? nil : Access.shown($0.reason) }
  }

  /// True if a value is a beginning of what is asked for: a folder, or a host without its port.
  private func covers(_ value: Substring, _ access: Access) -> Bool {
    value.split(separator: ",").contains { part in
      access.thing == part || access.thing.hasPrefix(part + "/") || access.thing.hasPrefix(part + ":")
        || access.thing.hasSuffix("/" + part)
    }
  }

  private static func need(_ text: String, line: Int) -> Need {
    var flags: [String] = []
    var rest = Substring(trimmed(text))
    while rest.hasPrefix("-") {
      let flag = rest.prefix { $0 != " " && $0 != "\t" }
      flags.append(String(flag))
      rest = rest.dropFirst(flag.count).drop { $0 == " " || $0 == "\t" }
    }
    return Need(flags: flags, reason: String(rest), line: line)
  }

  private static func trimmed(_ text: String) -> String {
    let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0 == "\r" }
    let rest = text.drop(while: isSpace)
    return String(rest[..<(rest.lastIndex { !isSpace($0) }.map(rest.index(after:)) ?? rest.startIndex)])
  }

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

  /// True for a flag of the command line that gives a permission.
  package static func isPermission(_ flag: String) -> Bool { problem(flag) == nil }

  private static let everything = ["-A", "--allow-all"]

  /// The problem with a flag in the words of the command line; nil for a permission.
  private static func problem(_ flag: String) -> (message: String, hint: String?)? {
    if everything.contains(flag) { return nil }
    let parts = flag.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    if everything.contains(parts[0]) { return ("\(parts[0]) takes no value", nil) }
    guard let permission = Permission.allCases.first(where: { $0.flag == parts[0] }) else {
      let known = Permission.allCases.map(\.flag) + everything.suffix(1)
      let hint = nearestName(to: Self.dashed(parts[0]), in: known).map { "did you mean \($0)?" }
      return ("\(parts[0]) is not a permission", hint ?? "permissions are \(known.joined(separator: ", "))")
    }
    guard parts.count == 2 else { return nil }
    var grants = Grants()
    do throws(GrantError) { try grants.allow(permission, parts[1]) } catch { return (error.message, error.hint) }
    return nil
  }

  /// With the two dashes a flag begins with, however many or few, or of which kind, are there.
  private static func dashed(_ word: String) -> String { "--" + word.drop { !$0.isLetter } }
}
