import Core
import JSON
import Jobs

@testable import Schedule

extension FuzzTarget {
  /// Cron text, intervals and times. The due times of what is accepted grow.
  static let schedules = FuzzTarget("schedules") { input in
    var input = input
    let zone = scheduleZones[Int(input.byte()) % scheduleZones.count]
    let text = input.text
    if let expression = try? CronExpression(text) { due(.cron(expression, zone)) }
    if let interval = try? Interval.milliseconds(of: text), interval > 0 { due(.every(interval)) }
    if let time = try? Schedule.at(parsing: text, in: zone) { due(time) }
    var fields: [String: String] = [:]
    for (name, value) in input.fields() { fields[name] = value }
    due(.calendar(try CalendarRule(fields), zone))
  }

  private static let scheduleZones =
    [Zone.utc] + ["Europe/Athens", "Australia/Lord_Howe", "Pacific/Apia"].compactMap { try? Zone($0) }

  private static func due(_ schedule: Schedule) {
    var moment: Int64 = 1_800_000_000_000
    for _ in 0..<3 {
      guard let next = schedule.next(after: moment, anchor: 0) else { return }
      precondition(next > moment, "a due time that is not later")
      moment = next
    }
  }

  /// Files of the time zone database.
  static let zones = FuzzTarget("zones") { input in
    guard let rules = ZoneRules(input.bytes) else { return }
    for moment in [Int64.min / 2, 0, 1_800_000_000, 4_000_000_000, 1 << 40] { _ = rules.segment(at: moment) }
  }

  /// Declarations of jobs, which a script makes.
  static let jobs = FuzzTarget("jobs") { input in
    let declaration = try JobDeclaration(JSON(parsing: input.bytes), zone: scheduleZones[1])
    _ = (declaration.summary, declaration.triggers, declaration.overlap)
  }
}
