/// Days and times of the calendar, such as `{ weekday = "mon", day = "1..7", time = "09:30" }`. All fields must match.
package struct CalendarRule: Sendable {
  package let text: String
  let rule: DayRule

  private static let fields = ["year", "month", "day", "weekday", "time"]

  package init(_ texts: [String: String]) throws(ScheduleError) {
    for name in texts.keys.sorted() where !Self.fields.contains(name) {
      throw ScheduleError("there is no field \(name)", hint: "the fields are \(Self.fields.joined(separator: ", "))")
    }
    guard !texts.isEmpty else {
      throw ScheduleError("expected a field, got none", hint: "for example { weekday = \"mon\", time = \"09:30\" }")
    }
    func values(_ name: String, _ range: ClosedRange<Int>, _ names: [String] = []) throws(ScheduleError) -> Set<Int>? {
      guard let text = texts[name] else { return nil }
      return try FieldReader(name: name, range: range, names: names, dash: "..").values(text)
    }
    var rule = DayRule()
    rule.years = try values("year", 1970...9999)
    if let months = try values("month", 1...12, FieldReader.months) { rule.months = months.bits }
    if let days = try values("day", 1...31) { rule.days = days.bits }
    if let weekdays = try values("weekday", 0...7, FieldReader.weekdays) {
      rule.weekdays = Set(weekdays.map { $0 % 7 }).bits
    }
    if let times = texts["time"] {
      var seconds: Set<Int> = []
      for time in times.split(separator: ",", omittingEmptySubsequences: false) {
        seconds.insert(try Self.seconds(time.filter { $0 != " " }))
      }
      rule.times = seconds.sorted()
    }
    guard rule.isPossible else { throw ScheduleError("no year has such a day", hint: "check day, month and weekday") }
    self.rule = rule
    text = Self.fields.compactMap { name in texts[name].map { "\(name) \($0)" } }.joined(separator: ", ")
  }

  /// The seconds since midnight of `09:30` or `09:30:15`.
  static func seconds(_ text: String) throws(ScheduleError) -> Int {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { $0.count <= 2 && $0.allSatisfy(\.isNumber) ? Int($0) : nil }
    guard parts.count == numbers.count, (2...3).contains(numbers.count), numbers[0] < 24,
      numbers.dropFirst().allSatisfy({ $0 < 60 })
    else { throw ScheduleError("time: expected a time such as 09:30, got \"\(text)\"") }
    return numbers[0] * 3600 + numbers[1] * 60 + (numbers.count == 3 ? numbers[2] : 0)
  }
}
