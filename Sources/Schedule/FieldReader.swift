/// A field of a cron expression or a calendar rule.
struct FieldReader {
  let name: String
  let range: ClosedRange<Int>
  /// The names of the values, from the first one on.
  var names: [String] = []
  /// Between the ends of a range: `-` in cron, `..` in a calendar rule.
  let dash: String

  static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
  static let weekdays = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]

  func failure(_ problem: String) -> ScheduleError { ScheduleError("\(name): \(problem)") }

  func values(_ text: String) throws(ScheduleError) -> Set<Int> {
    var values: Set<Int> = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      values.formUnion(try self.part(part.filter { $0 != " " }))
    }
    return values
  }

  private func part(_ text: String) throws(ScheduleError) -> Set<Int> {
    let pieces = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    var step = 1
    if pieces.count == 2 {
      guard let number = Int(pieces[1]), number > 0 else {
        throw failure("expected a step above zero after /, got \"\(pieces[1])\"")
      }
      step = number
    } else if pieces.count > 2 {
      throw failure("expected one step, got \"\(text)\"")
    }
    let span: ClosedRange<Int>
    let ends = pieces[0].components(around: dash)
    if pieces[0] == "*" {
      span = range
    } else if ends.count == 2 {
      let (low, high) = (try value(ends[0]), try value(ends[1]))
      // Sunday is the last day of the week, too.
      let last = high < low && names == Self.weekdays && high == 0 ? 7 : high
      guard low <= last else { throw failure("the range \"\(pieces[0])\" ends before it begins") }
      span = low...last
    } else {
      let number = try value(pieces[0])
      span = number...(pieces.count == 2 ? range.upperBound : number)
    }
    return Set(stride(from: span.lowerBound, through: span.upperBound, by: step))
  }

  private func value(_ text: String) throws(ScheduleError) -> Int {
    if let index = names.firstIndex(of: text.lowercased()) {
      return names == Self.weekdays ? index : index + range.lowerBound
    }
    guard let number = Int(text), text.allSatisfy(\.isNumber) else {
      let example = names.isEmpty ? "" : " or a name such as \(names[1])"
      throw failure("expected \(range.lowerBound) to \(range.upperBound)\(example), got \"\(text)\"")
    }
    guard range.contains(number) else {
      throw failure("expected \(range.lowerBound) to \(range.upperBound), got \(number)")
    }
    return number
  }
}

extension Set<Int> {
  var bits: UInt64 { reduce(0) { $0 | 1 << UInt64($1) } }
}

extension String {
  /// The parts before and behind the first `mark`; the text alone if there is none.
  fileprivate func components(around mark: String) -> [String] {
    let parts = split(separator: mark, maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    return parts.count == 2 && !parts[0].isEmpty ? parts : [self]
  }
}
