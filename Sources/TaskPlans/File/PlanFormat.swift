import Core
import JSON

/// The layout of a plan's file: one JSON document. Each member of the header has a line, and so has each row. `counts` and
/// `digest` are the last two lines; the digest is that of all bytes before its line.
enum PlanFormat {
  /// Members may come to the format. A row or a header that an older program would misread needs a new version.
  static let version = 1
  /// The first version of the program that reads this format, for the messages of older ones.
  static let readBy = "1.1.0"

  /// The bytes that a plan of this version begins with.
  static let start = "\(mark): \(version),\n"
  /// The bytes that a plan of any version begins with.
  static let mark = "{\"b2c_run_plan\""
  static let rowsStart = "\"rows\": ["
  static let rowsEnd = "],"
  static let countsStart = "\"counts\": "

  /// The text behind the digest: 32 bytes, in hexadecimal digits.
  static func end(_ digest: [UInt8]) -> String { "\"digest\": \"\(name(digest))\"}\n" }
  static func name(_ digest: [UInt8]) -> String { "sha256:\(digest.hexadecimal)" }

  /// A JSON object on one line whose members keep their order. Members without a value are left out.
  /// - Parameter members: the values are JSON texts.
  static func object(_ members: some Sequence<(String, String?)>) -> String {
    let parts = members.compactMap { name, text in text.map { "\(Self.name(name)):\($0)" } }
    return "{\(parts.joined(separator: ","))}"
  }

  static func text(_ value: String?) -> String? { value.map { JSON.string($0).encoded() } }
  static func text(_ value: Int?) -> String? { value.map(String.init) }

  /// As in `JSON.encoded`: a name with a NUL could never be read again.
  private static func name(_ name: String) -> String {
    JSON.string(name.utf8.contains(0) ? name.replacing("\u{0}", with: "\u{FFFD}") : name).encoded()
  }

  /// The numbers of rows by a name; none for a name without rows.
  static func counts<Name: RawRepresentable<String> & Hashable & CaseIterable>(_ counts: [Name: Int]) -> String {
    object(Name.allCases.map { ($0.rawValue, text(counts[$0])) })
  }
}

/// The members of an object of a plan, as they are read.
struct PlanMembers {
  private let members: [String: JSON]

  /// The problem of a member, in words.
  struct Problem: Error {
    let reason: String
  }

  init(_ json: JSON, as name: String) throws(Problem) {
    guard let members = json.object else { throw Problem(reason: "expected \(name), found \(Self.shown(json))") }
    self.members = members
  }

  func need<Value>(_ name: String, _ kind: @autoclosure () -> String, _ read: (JSON) -> Value?) throws(Problem) -> Value
  {
    guard let value = try optional(name, kind(), read) else { throw Problem(reason: "\(name) is missing") }
    return value
  }

  /// Nil for a missing member, and for null.
  func optional<Value>(
    _ name: String, _ kind: @autoclosure () -> String, _ read: (JSON) -> Value?
  ) throws(Problem) -> Value? {
    guard let json = members[name], json != .null else { return nil }
    guard let value = read(json) else {
      throw Problem(reason: "\(name): expected \(kind()), found \(Self.shown(json))")
    }
    return value
  }

  func text(_ name: String) throws(Problem) -> String { try need(name, "a text", \.string) }
  func optionalText(_ name: String) throws(Problem) -> String? { try optional(name, "a text", \.string) }

  /// The texts of a list; none for a missing one.
  func texts(_ name: String) throws(Problem) -> [String] {
    try optional(name, "a list of texts") { json in
      json.array.flatMap { list in
        let texts = list.compactMap(\.string)
        return texts.count == list.count ? texts : nil
      }
    } ?? []
  }

  /// The word that names a case.
  func word<Word: RawRepresentable<String> & CaseIterable>(_ name: String, _ type: Word.Type) throws(Problem) -> Word {
    try need(name, "one of \(Word.allCases.map(\.rawValue).joined(separator: ", "))") { $0.string.flatMap(Word.init) }
  }

  /// A whole number from 1 on.
  static func number(_ json: JSON) -> Int? {
    guard case .integer(let number) = json, number > 0 else { return nil }
    return Int(exactly: number)
  }

  private static func shown(_ json: JSON) -> String { json.encoded().displayable.clipped(to: 60) }
}
