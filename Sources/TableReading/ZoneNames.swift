/// The zones behind times of people.
enum ZoneNames {
  /// The offset of an abbreviation that means one zone in files of tasks; `Z` for UTC, nil for others. `BST` and `IST`, for two,
  /// mean several.
  static func offset(_ word: String) -> String? { offsets[word] }

  private static let offsets = [
    "z": "Z", "utc": "Z", "gmt": "Z", "ut": "Z", "wet": "+00:00", "west": "+01:00", "cet": "+01:00", "cest": "+02:00",
    "mez": "+01:00", "mesz": "+02:00", "eet": "+02:00", "eest": "+03:00", "est": "-05:00", "edt": "-04:00",
    "cst": "-06:00", "cdt": "-05:00", "mst": "-07:00", "mdt": "-06:00", "pst": "-08:00", "pdt": "-07:00",
  ]

  /// The text without the name of a zone behind it, such as `Europe/Berlin` or `(Europe/Berlin)`, and that name.
  static func split(_ text: some StringProtocol) -> (text: String, zone: String)? {
    let words = text.split(separator: " ")
    guard words.count > 1, let last = words.last else { return nil }
    let name = last.hasPrefix("(") && last.hasSuffix(")") ? last.dropFirst().dropLast() : last
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    guard (2...3).contains(parts.count),
      parts.allSatisfy({ part in
        part.first?.isUppercase == true && part.allSatisfy { $0.isASCII && ($0.isLetter || $0 == "_" || $0 == "-") }
      })
    else { return nil }
    return (words.dropLast().joined(separator: " "), String(name))
  }
}
