import Core
import JSON
import Schedule

/// Reads the entries of a table in a job's declaration. Its errors name the entry. Each text and each list has a bound, since a
/// declaration is read by the server, which has other jobs to run.
struct DeclarationReader {
  /// The path of the table in the declaration: `on[2]`; empty for the declaration itself.
  private let path: String
  private var rest: [String: JSON]
  private var asked: [String] = []

  init(_ value: JSON, at path: String = "") throws(JobError) {
    // An empty Lua table is an empty list, too.
    guard let members = value.object ?? (value == .array([]) ? [:] : nil) else {
      throw .declaration(path, "expected a table with names, got \(value.kind)")
    }
    self.path = path
    rest = members
    guard members.count <= Self.mostKeys else {
      throw failure("", "a table has at most \(Self.mostKeys) keys, got \(members.count)")
    }
    for key in members.keys where key.utf8.count > Self.longestKey {
      throw failure("", "a key has at most \(Self.longestKey) bytes, got one of \(key.utf8.count)")
    }
  }

  private static let mostKeys = 50
  private static let longestKey = 100
  /// The most bytes of a text, unless its key has another bound.
  static let longestText = StoredName.most

  func name(_ key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }

  func failure(_ key: String, _ problem: String, hint: String? = nil) -> JobError {
    .declaration(key.isEmpty ? path : name(key), problem, hint: hint)
  }

  mutating func take(_ key: String) -> JSON? {
    asked.append(key)
    return rest.removeValue(forKey: key)
  }

  /// - Parameter longest: in bytes of UTF-8.
  mutating func text(_ key: String, longest: Int = longestText) throws(JobError) -> String? {
    guard let value = take(key) else { return nil }
    guard let text = value.string else { throw failure(key, "expected a string, got \(value.kind)") }
    try check(text, key, longest)
    return text
  }

  private func check(_ text: String, _ key: String, _ longest: Int) throws(JobError) {
    let count = text.utf8.count
    guard count <= longest else { throw failure(key, "a text has at most \(longest) bytes here, got \(count)") }
    guard !text.utf8.contains(0) else { throw failure(key, "contains a NUL character") }
  }

  mutating func flag(_ key: String) throws(JobError) -> Bool? {
    guard let value = take(key) else { return nil }
    guard let flag = value.bool else { throw failure(key, "expected true or false, got \(value.kind)") }
    return flag
  }

  mutating func number(_ key: String, in range: ClosedRange<Int>) throws(JobError) -> Int? {
    guard let value = take(key) else { return nil }
    guard case .integer(let number) = value, let number = Int(exactly: number), range.contains(number) else {
      throw failure(key, "expected a whole number from \(range.lowerBound) to \(range.upperBound), got \(value.kind)")
    }
    return number
  }

  /// A length of time in milliseconds, such as `"15m"`.
  mutating func interval(_ key: String, atLeast least: Int64 = 0) throws(JobError) -> Int64? {
    guard let text = try text(key) else { return nil }
    let interval: Int64
    do { interval = try Interval.milliseconds(of: text) } catch {
      throw failure(key, error.message, hint: error.hint)
    }
    guard interval >= least else {
      throw failure(key, "expected at least \(Interval.text(of: least)), got \"\(text)\"")
    }
    return interval
  }

  mutating func choice<Choice: RawRepresentable & CaseIterable>(_ key: String) throws(JobError) -> Choice?
  where Choice.RawValue == String {
    guard let text = try text(key) else { return nil }
    guard let choice = Choice(rawValue: text) else {
      let names = Choice.allCases.map(\.rawValue)
      throw failure(
        key, "expected \(names.map { "\"\($0)\"" }.joined(separator: ", ")), got \"\(text)\"",
        hint: didYouMean(text, among: names))
    }
    return choice
  }

  /// - Parameter longest: the most bytes of a text.
  mutating func texts(_ key: String, most: Int = 100, longest: Int = longestText) throws(JobError) -> [String]? {
    guard let value = take(key) else { return nil }
    if value == .object([:]) { return [] }
    guard let list = value.array else { throw failure(key, "expected a list of strings, got \(value.kind)") }
    guard list.count <= most else { throw failure(key, "a list has at most \(most) texts here, got \(list.count)") }
    var texts: [String] = []
    for element in list {
      guard let text = element.string else {
        throw failure(key, "expected a list of strings, got \(element.kind) in it")
      }
      try check(text, key, longest)
      texts.append(text)
    }
    return texts
  }

  /// The names that are left.
  var unread: [String] { rest.keys.sorted() }

  /// Throws if there is an entry that nobody has asked for.
  func end() throws(JobError) {
    guard let key = unread.first else { return }
    throw failure(
      key.displayable, "there is no such key",
      hint: didYouMean(key, among: asked) ?? "the keys are \(asked.sorted().joined(separator: ", "))")
  }
}

extension JSON {
  /// The kind of the value for messages; a short text is shown.
  var kind: String {
    switch self {
    case .null: "null"
    case .bool(let value): "\(value)"
    case .integer(let value): "\(value)"
    case .number(let value): "\(value)"
    case .string(let value): value.utf8.count <= 60 ? "\"\(value.displayable)\"" : "a string"
    case .array: "a list"
    case .object: "a table"
    }
  }
}
