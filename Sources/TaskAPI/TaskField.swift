import Core
package import JSON

/// The value of a field of a task is not what the field takes.
package struct TaskFieldError: Failure {
  package let code: String
  package let message: String
  package let hint: String?

  init(code: String = "invalid_value", _ message: String, hint: String? = nil) {
    self.code = code
    self.message = message
    self.hint = hint
  }
}

/// The fields of a task that task services have in common, by the names in scripts and files.
package enum TaskField: String, CaseIterable, Sendable {
  case text, notes, completed
  /// The instant at which the task was done.
  case completedAt = "completed_at"
  /// A `TaskTime`.
  case due, start
  /// 1 is the highest and 9 the lowest (RFC 5545, 3.8.1.9); none is no priority.
  case priority
  /// A list of texts.
  case labels
  /// The ID of a list.
  case list
  /// The ID of a task.
  case parent
  /// A rule of RFC 5545, 3.3.10: `FREQ=WEEKLY;BYDAY=MO`.
  case recurrence
  case url
  /// The key of the task at the source that an import reads. The service keeps it, so that a later import finds the task.
  case key

  /// All but those that every server has.
  package static let further = allCases.filter { $0 != .text && $0 != .completed }

  /// The field of that name, in any spelling: `completed_at`, `CompletedAt`, `completedAt`.
  package init?(spelled name: String) {
    guard let field = Self.bySpelling[name] ?? Self.bySpelling[name.lowercased().filter { $0 != "_" }] else {
      return nil
    }
    self = field
  }

  private static let bySpelling = Dictionary(
    uniqueKeysWithValues: allCases.map { ($0.rawValue.filter { $0 != "_" }, $0) })

  /// The name in requests to the task API.
  var wireName: String {
    rawValue.split(separator: "_").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }

  /// The spellings in answers of servers; the first that a task has counts.
  package var spellings: [String] { Self.allSpellings[self] ?? [] }

  /// Made once: each task of a long list is asked for each field.
  private static let allSpellings = Dictionary(
    uniqueKeysWithValues: allCases.map { field -> (TaskField, [String]) in
      let wire = field.wireName
      let camel = wire.prefix(1).lowercased() + wire.dropFirst()
      return (field, field.rawValue == camel ? [wire, camel] : [wire, camel, field.rawValue])
    })

  /// True for fields that do not say whether the task is done, and have the time at which it was.
  static func isDone(_ fields: [String: JSON]) -> Bool {
    fields[completed.rawValue] == nil && fields[completedAt.rawValue].map { $0 != .null } ?? false
  }

  /// Some programs write such a time for none.
  private static let noTimes = ["0001-01-01", "0000-00-00"]

  /// The value in its one form. Nil for an empty one, which is the same as none.
  package func normalized(_ value: JSON) throws(TaskFieldError) -> JSON? {
    switch value {
    case .null, .string(""), .array([]): return nil
    // An empty table of a script is a list, too.
    case .object([:]) where self == .labels: return nil
    default: break
    }
    switch self {
    case .completed:
      guard let flag = value.flag else { throw wrong(value, "true or false") }
      return .bool(flag)
    case .due, .start, .completedAt:
      guard let text = value.string else { throw wrong(value, "a date or a time") }
      if Self.noTimes.contains(where: text.hasPrefix) { return nil }
      do { return .string(try TaskTime(parsing: text).description) } catch {
        throw TaskFieldError(code: error.code, "\(rawValue): \(error.message)", hint: error.hint)
      }
    case .priority:
      guard let number = value.lenientInteger, (0...9).contains(number) else {
        throw wrong(value, "a number from 1, the highest, to 9")
      }
      return number == 0 ? nil : .integer(number)
    case .labels:
      let words: [String?]? =
        value.array?.map(\.string)
        ?? value.string?.split(separator: ",").map { label in
          String(label.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
        }
      guard let words, words.allSatisfy({ $0 != nil }) else { throw wrong(value, "a list of texts") }
      let texts = words.compactMap { $0 }.filter { !$0.isEmpty }
      return texts.isEmpty ? nil : .array(texts.map { .string($0) })
    case .recurrence:
      guard let text = value.string, let rule = Self.recurrenceRule(text) else {
        throw wrong(value, "a rule such as FREQ=WEEKLY;BYDAY=MO")
      }
      return .string(rule)
    case .key: return try normalizedKey(value)
    case .text, .notes, .list, .parent, .url:
      guard value.object == nil, value.array == nil else { throw wrong(value, "a text") }
      return .string(value.plainText)
    }
  }

  /// The most characters of a key.
  private static let longestKey = 255

  /// A line without blanks at its ends: some services keep the key as a line of a text.
  private func normalizedKey(_ value: JSON) throws(TaskFieldError) -> JSON? {
    guard value.object == nil, value.array == nil else { throw wrong(value, "a text") }
    let text = value.plainText
    guard let first = text.firstIndex(where: { !$0.isWhitespace }), let last = text.lastIndex(where: { !$0.isWhitespace })
    else { return nil }
    let key = text[first...last]
    let hasControls = key.unicodeScalars.contains {
      [.control, .lineSeparator, .paragraphSeparator].contains($0.properties.generalCategory)
    }
    guard !hasControls, key.unicodeScalars.count <= Self.longestKey else {
      throw wrong(value, "one line of at most \(Self.longestKey) characters")
    }
    return .string(String(key))
  }

  /// A rule of RFC 5545, 3.3.10, without its name; nil for another text.
  private static func recurrenceRule(_ text: String) -> String? {
    let rule = text.hasPrefix("RRULE:") ? text.dropFirst(6) : text[...]
    var names: Set<Substring> = []
    for part in rule.split(separator: ";", omittingEmptySubsequences: false) {
      guard let match = part.wholeMatch(of: #/([A-Z-]+)=([A-Z0-9,+:\-]+)/#), names.insert(match.1).inserted else {
        return nil
      }
      let value = match.2
      switch match.1 {
      case "FREQ":
        let frequencies = ["SECONDLY", "MINUTELY", "HOURLY", "DAILY", "WEEKLY", "MONTHLY", "YEARLY"]
        guard frequencies.contains(String(value)) else { return nil }
      case "INTERVAL", "COUNT": guard let number = Int(value), number > 0 else { return nil }
      case "UNTIL": guard (try? TaskTime(parsing: String(value))) != nil else { return nil }
      case "BYDAY":
        let days = value.split(separator: ",", omittingEmptySubsequences: false)
        guard days.allSatisfy({ $0.wholeMatch(of: #/[+\-]?\d{0,2}(MO|TU|WE|TH|FR|SA|SU)/#) != nil }) else { return nil }
      case "WKST", "BYSECOND", "BYMINUTE", "BYHOUR", "BYMONTHDAY", "BYYEARDAY", "BYWEEKNO", "BYMONTH", "BYSETPOS",
        "RSCALE", "SKIP":
        break
      default: guard match.1.hasPrefix("X-") else { return nil }
      }
    }
    return names.contains("FREQ") ? String(rule) : nil
  }

  private func wrong(_ value: JSON, _ expected: String) -> TaskFieldError {
    TaskFieldError("\(rawValue): expected \(expected), got \(String(value.encoded().prefix(60)))")
  }

  /// True if an answer has the value that was sent: some servers write times and labels in another form.
  package func isKept(_ sent: JSON, in answer: JSON?) -> Bool {
    guard let answer, answer != .null else { return sent == .bool(false) }
    guard let answer = try? normalized(answer), let sent = try? normalized(sent) else { return false }
    if answer == sent { return true }
    switch self {
    case .due, .start, .completedAt:
      guard let one = try? TaskTime(parsing: sent.string ?? ""), let other = try? TaskTime(parsing: answer.string ?? "")
      else { return false }
      return one.isKept(as: other)
    case .labels:
      return Set((sent.array ?? []).compactMap(\.string)) == Set((answer.array ?? []).compactMap(\.string))
    default: return false
    }
  }
}

extension JSON {
  /// A string as it is, and another value as JSON.
  package var plainText: String { string ?? encoded() }

  /// Also the values that forms and databases write for true and false.
  var flag: Bool? {
    switch self {
    case .bool(let value): value
    case .integer(0), .integer(1): self == .integer(1)
    case .string(let text):
      ["true": true, "1": true, "yes": true, "false": false, "0": false, "no": false, "": false][text.lowercased()]
    default: nil
    }
  }
}
