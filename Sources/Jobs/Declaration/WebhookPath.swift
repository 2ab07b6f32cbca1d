import Core

/// The rule for the paths at which jobs and runs take requests.
///
/// Swift takes strings for equal that Unicode calls canonically equivalent, such as the two spellings of `é`. Texts of visible
/// ASCII characters are equal only if their bytes are, so that no request goes to another path than the one it names.
package enum WebhookPath {
  /// The sentence behind "the path" about a text that is no such path; nil for a path.
  package static func problem(_ text: String) -> String? {
    let shown = text.displayable.clipped(to: 100)
    guard text.utf8.first == UInt8(ascii: "/"), text.utf8.count > 1 else {
      return "expected a path such as /hooks/orders, got \"\(shown)\""
    }
    if let scalar = text.unicodeScalars.first(where: { !isAllowed($0) }) {
      let code = String(scalar.value, radix: 16, uppercase: true)
      let name =
        scalar == " "
        ? "a space"
        : (0x21...0x7e).contains(scalar.value)
          ? "'\(scalar)'" : "the character U+\("0000".dropFirst(code.count))\(code)"
      return "the path \"\(shown)\" has \(name): expected visible ASCII characters other than ? # % \\"
    }
    return StoredName.problem(text).map { "the path \($0)" }
  }

  /// The problem of two jobs that take requests at one path.
  package static func conflict(of job: String, with other: String, at path: String) -> String {
    "the jobs \(other) and \(job) have the same path: \(path)"
  }

  private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
    (0x21...0x7e).contains(scalar.value) && !"?#%\\".unicodeScalars.contains(scalar)
  }
}
