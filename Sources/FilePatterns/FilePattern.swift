import Core
import Permissions

/// A pattern of files, such as `inbox/*.csv`, as shells have it: `*`, `?` and `[a-z]` match no slash and no leading dot, and a
/// backslash takes the meaning from the next character. It only compares texts; `FileWalk` looks at files.
package struct FilePattern: Hashable, Sendable {
  package let text: String
  /// The names on the way, and their patterns.
  package let parts: [Part]

  /// A problem with the text of a pattern, whose key somebody else knows.
  package struct Problem: Error {
    package let message: String
    package let hint: String?

    init(_ message: String, hint: String? = nil) {
      self.message = message
      self.hint = hint
    }
  }

  /// A name on the way, or the pattern of one.
  package enum Part: Hashable, Sendable {
    case name([UInt8])
    case pattern(NamePattern)
  }

  /// The most names on the way.
  static let mostParts = 32

  package init(_ text: String) throws(Problem) {
    guard !text.isEmpty, !text.hasSuffix("/") else {
      throw Problem("expected a pattern of files, such as inbox/*.csv, got \"\(text)\"")
    }
    var words = text.pathBytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map { Array($0) }
    guard words.count <= Self.mostParts else {
      throw Problem("a pattern has at most \(Self.mostParts) names between slashes, got \(words.count)")
    }
    // The first name of an absolute path is empty.
    if text.hasPrefix("/") { words[0] = [] }
    self.text = text
    parts = words.map { word in
      let pattern = NamePattern(word)
      return pattern.literal.map { .name($0) } ?? .pattern(pattern)
    }
    let closed = ["/proc", "/sys", "/dev"]
    if let place = closed.first(where: { text == $0 || text.hasPrefix("\($0)/") }) {
      throw Problem(
        "the kernel's files and devices in \(place) are closed to jobs", hint: "name a folder with ordinary files")
    }
  }

  /// The file that is meant, or the folder in which all files that match are: the place that a job must be allowed to read.
  package var place: String {
    var names: [[UInt8]] = []
    for part in parts {
      guard case .name(let name) = part else { break }
      names.append(name)
    }
    let path = Array(names.joined(separator: [UInt8(ascii: "/")]))
    guard path.isEmpty else { return String(pathBytes: path) }
    return text.hasPrefix("/") ? "/" : "."
  }

  /// True if the pattern itself names files of failed rows. Otherwise a job that imports `*.csv` would import the file that
  /// its own import has written, and fail for ever.
  package var namesFailedRows: Bool { text.contains(".failed.") }

  /// True for the name of a file with the failed rows of an import: `tasks.csv.failed.csv`, or `tasks.csv.failed.ndjson.1`.
  package static func isOfFailedRows(_ name: [UInt8]) -> Bool {
    String(pathBytes: name).contains(#/\.failed\.(ndjson|csv|tsv)(\.\d+)?$/#)
  }

  /// The permission to look for the files.
  package var need: String { Grants.reading(place) }
}

/// The pattern of one name.
package struct NamePattern: Hashable, Sendable {
  private enum Token: Hashable, Sendable {
    case one(UInt32)
    case any
    case anyText
    case oneOf([ClosedRange<UInt32>], isNegated: Bool)
  }

  private var tokens: [Token] = []

  /// The name, if no other one matches.
  let literal: [UInt8]?

  package init(_ pattern: [UInt8]) {
    let letters = Self.letters(pattern)
    var bytes: [UInt8]? = []
    var index = 0
    func isLetter(_ letter: Unicode.Scalar) -> Bool { letters[index] == letter.value }
    while index < letters.count {
      if isLetter("*") {
        if tokens.last != .anyText { tokens.append(.anyText) }
        bytes = nil
      } else if isLetter("?") {
        tokens.append(.any)
        bytes = nil
      } else if isLetter("["), let (token, end) = Self.set(letters, index) {
        tokens.append(token)
        bytes = nil
        index = end
      } else {
        if isLetter("\\"), index + 1 < letters.count { index += 1 }
        tokens.append(.one(letters[index]))
        bytes?.append(contentsOf: Self.bytes(letters[index]))
      }
      index += 1
    }
    literal = bytes
  }

  /// The set that begins at `start`, and the place of its closing bracket; nil if it has none.
  private static func set(_ letters: [UInt32], _ start: Int) -> (Token, Int)? {
    func letter(_ index: Int) -> UInt32? { index < letters.count ? letters[index] : nil }
    var index = start + 1
    let isNegated = letter(index) == ("!" as Unicode.Scalar).value || letter(index) == ("^" as Unicode.Scalar).value
    if isNegated { index += 1 }
    var ranges: [ClosedRange<UInt32>] = []
    let first = index
    while let low = letter(index), low != ("]" as Unicode.Scalar).value || index == first {
      let isRange = letter(index + 1) == ("-" as Unicode.Scalar).value
      if isRange, let high = letter(index + 2), high != ("]" as Unicode.Scalar).value {
        if low <= high { ranges.append(low...high) }
        index += 3
      } else {
        ranges.append(low...low)
        index += 1
      }
    }
    return letter(index) == nil ? nil : (.oneOf(ranges, isNegated: isNegated), index)
  }

  /// Takes time for the length of the name times that of the pattern at most.
  package func matches(_ name: [UInt8]) -> Bool {
    let letters = Self.letters(name)
    // Only a dot that is written in the pattern matches the dot of a hidden name.
    let dot = ("." as Unicode.Scalar).value
    if letters.first == dot, tokens.first != .one(dot) { return false }
    var (token, letter) = (0, 0)
    // The last `*`, and the letter behind its text.
    var star: (token: Int, letter: Int)?
    while letter < letters.count {
      if token < tokens.count, tokens[token] == .anyText {
        star = (token, letter)
        token += 1
      } else if token < tokens.count, Self.matches(tokens[token], letters[letter]) {
        token += 1
        letter += 1
      } else if let last = star {
        star = (last.token, last.letter + 1)
        (token, letter) = (last.token + 1, last.letter + 1)
      } else {
        return false
      }
    }
    return tokens[token...].allSatisfy { $0 == .anyText }
  }

  private static func matches(_ token: Token, _ letter: UInt32) -> Bool {
    switch token {
    case .one(let wanted): wanted == letter
    case .any: true
    case .anyText: false
    case .oneOf(let ranges, let isNegated): ranges.contains { $0.contains(letter) } != isNegated
    }
  }

  /// Bytes that are no UTF-8 are separate letters, behind all of Unicode.
  private static let strange: UInt32 = 0x110000

  private static func letters(_ bytes: [UInt8]) -> [UInt32] {
    var letters: [UInt32] = []
    var rest = bytes[...]
    while let first = rest.first {
      let count = first < 0x80 ? 1 : first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
      if let text = String(validating: rest.prefix(count), as: UTF8.self), let scalar = text.unicodeScalars.first {
        letters.append(scalar.value)
        rest = rest.dropFirst(count)
      } else {
        letters.append(strange + UInt32(first))
        rest = rest.dropFirst()
      }
    }
    return letters
  }

  private static func bytes(_ letter: UInt32) -> [UInt8] {
    guard let scalar = Unicode.Scalar(letter) else { return [UInt8(letter - strange)] }
    return Array(String(scalar).utf8)
  }
}
