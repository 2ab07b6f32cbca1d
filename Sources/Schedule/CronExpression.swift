/// A line of cron's table without its command: `30 7 * * mon-fri`, `@daily`. It means what Debian's cron makes of it.
package struct CronExpression: Sendable {
  package let text: String
  package let warnings: [String]
  let rule: DayRule

  private static let shortcuts = [
    "@hourly": "0 * * * *", "@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *", "@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *",
  ]

  package init(_ text: String) throws(ScheduleError) {
    self.text = text
    var words = text.split { $0 == " " || $0 == "\t" }.map(String.init)
    if let problem = ForeignCron.problem(text, words) { throw problem }
    if let word = words.first, word.hasPrefix("@") {
      guard words.count == 1, let meaning = Self.shortcuts[word] else {
        throw ScheduleError(
          "cron has no \"\(text)\" here", hint: "there are \(Self.shortcuts.keys.sorted().joined(separator: ", "))")
      }
      words = meaning.split(separator: " ").map(String.init)
    }
    guard words.count == 5 else {
      throw ScheduleError(
        "expected five fields, got \(words.count) in \"\(text)\"",
        hint: "minute, hour, day of the month, month, weekday: 30 7 * * mon-fri")
    }
    func field(_ name: String, _ range: ClosedRange<Int>, _ names: [String] = []) -> FieldReader {
      FieldReader(name: name, range: range, names: names, dash: "-")
    }
    let minutes = try field("minute", 0...59).values(words[0])
    let hours = try field("hour", 0...23).values(words[1])
    var rule = DayRule()
    rule.days = try field("day of the month", 1...31).values(words[2]).bits
    rule.months = try field("month", 1...12, FieldReader.months).values(words[3]).bits
    rule.weekdays = Set(try field("weekday", 0...7, FieldReader.weekdays).values(words[4]).map { $0 % 7 }).bits
    rule.joinsDays = !words[2].hasPrefix("*") && !words[4].hasPrefix("*")
    rule.times = hours.sorted().flatMap { hour in minutes.sorted().map { hour * 3600 + $0 * 60 } }
    rule.followsClock = words[0].hasPrefix("*") || words[1].hasPrefix("*")
    guard rule.isPossible else {
      throw ScheduleError("no year has such a day: \"\(text)\"", hint: "check the day of the month and the month")
    }
    self.rule = rule
    warnings =
      rule.joinsDays
      ? ["\"\(text)\" is due on the days of the month and on the weekdays; cron joins both by OR"] : []
  }
}
