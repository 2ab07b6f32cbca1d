import Core
import Holidays
package import JSON
package import JobNotices
package import Schedule

/// The declaration of a job: its script gave it to `b2c.job`.
package struct JobDeclaration: Sendable {
  package let summary: String
  package let triggers: [Trigger]
  private let lanes: (overlap: Overlap, key: String?)
  private let missed: (catchUp: CatchUp, within: Int64?)
  /// The jobs with which the job shares a limit.
  package let group: JobGroup?
  /// The notices about the runs.
  package let notices: [Notice]
  /// The days without due times, by the texts of the triggers.
  private let holidays: [String: Holidays]
  private let lengths: (spread: Int64, timeout: Int64)
  package let retry: Retry?
  /// The failed runs in a row after which the job is paused; 0 for never.
  package let pauseAfter: Int
  package let interrupted: Interruption
  /// Nil for the usual length of the history.
  package let keep: Keep?
  /// The script's arguments.
  package let arguments: [String]
  /// The zone of times that name none.
  private let zone: Zone

  /// - Parameters:
  ///   - json: the table that the script gave to `b2c.job`.
  ///   - zone: the zone of times that name none.
  /// - Throws: `bad_job` for a table that makes no sense. The message names the entry.
  package init(_ json: JSON, zone: Zone) throws(JobError) {
    self.zone = zone
    var entries = try DeclarationReader(json)
    summary = try entries.text("summary", longest: 1000) ?? ""
    let on = entries.take("on")
    triggers = try Self.triggers(on, zone)
    holidays = try Self.holidays(on, triggers)
    for trigger in triggers {
      guard let problem = StoredName.problem(trigger.text) else { continue }
      throw .declaration("on", "the event \(trigger.text.displayable.clipped(to: 60)) \(problem)")
    }
    lanes = try Self.overlap(entries.take("overlap"), isTimed: triggers.allSatisfy(\.isTimed))
    missed = (try entries.choice("catch_up") ?? .one, try entries.interval("catch_up_within", atLeast: 1000))
    group = try entries.take("group").map { value throws(JobError) in try JobGroup(value) }
    lengths = (
      try entries.interval("spread") ?? 0, try entries.interval("timeout", atLeast: 1000) ?? 3_600_000
    )
    notices = try Self.notices(entries.take("notify"))
    retry = try entries.take("retry").map { value throws(JobError) in try Retry(value) }
    pauseAfter = try entries.number("pause_after", in: 0...1_000_000) ?? 10
    interrupted = try entries.choice("interrupted") ?? .report
    keep = try entries.take("keep").map { value throws(JobError) in try Keep(value) }
    arguments = try entries.texts("args", most: RunArguments.most, longest: RunArguments.longest) ?? []
    if let problem = RunArguments.problem(arguments) { throw entries.failure("args", problem) }
    try entries.end()
  }

  package var overlap: Overlap { lanes.overlap }
  /// The path into the event whose value tells runs apart that may go on beside each other: `json.order.id`.
  package var overlapKey: String? { lanes.key }
  package var catchUp: CatchUp { missed.catchUp }
  /// The longest offset of due times, in milliseconds.
  package var spread: Int64 { lengths.spread }
  /// In milliseconds.
  package var timeout: Int64 { lengths.timeout }
  /// In milliseconds; nil for the usual time, which depends on the trigger.
  package var catchUpWithin: Int64? { missed.within }

  private static let mostTriggers = 100

  private static func triggers(_ value: JSON?, _ zone: Zone) throws(JobError) -> [Trigger] {
    switch value {
    case nil: throw .declaration("on", "is missing", hint: "for example on = { every = \"15m\" }")
    case .array(let list)?:
      guard !list.isEmpty else { throw .declaration("on", "expected an event, got an empty list") }
      guard list.count <= Self.mostTriggers else {
        throw .declaration(
          "on", "a job has at most \(Self.mostTriggers) events, got \(list.count)", hint: "make several jobs of it")
      }
      var triggers: [Trigger] = []
      for (index, entry) in list.enumerated() {
        triggers.append(try Trigger(entry, at: "on[\(index + 1)]", zone: zone))
      }
      return triggers
    case let entry?: return [try Trigger(entry, at: "on", zone: zone)]
    }
  }

  private static func notices(_ value: JSON?) throws(JobError) -> [Notice] {
    guard let value, value != .array([]) else { return [] }
    var notices: [Notice] = []
    for (index, entry) in (value.array ?? [value]).enumerated() {
      do { notices.append(try Notice(entry)) } catch {
        let place = value.array == nil ? "notify" : "notify[\(index + 1)]"
        throw .declaration(error.key.isEmpty ? place : "\(place).\(error.key)", error.message, hint: error.hint)
      }
    }
    guard notices.count <= 20 else {
      throw .declaration("notify", "a job has at most 20 notices, got \(notices.count)")
    }
    return notices
  }

  /// The key of an event of the clock with the days without due times: `ics:FILE`, or the days of the file as a list.
  package static let exceptKey = "except"

  private static func holidays(_ value: JSON?, _ triggers: [Trigger]) throws(JobError) -> [String: Holidays] {
    var holidays: [String: Holidays] = [:]
    for (entry, trigger) in zip(value?.array ?? [value ?? .null], triggers) {
      guard let days = entry[exceptKey] else { continue }
      if let file = days.string, file.hasPrefix("ics:"), file.utf8.count > 4 { continue }
      guard let texts = days.array?.compactMap(\.string), let found = Holidays(texts: texts) else {
        throw .declaration(
          "on.\(exceptKey)", "expected \"ics:FILE\" or a list of days such as 2027-12-25, got \(days.kind)")
      }
      holidays[trigger.text] = found
    }
    return holidays
  }

  /// True for a due time on a day without due times. An offset does not move it to another day.
  package func isHoliday(_ time: Int64, of trigger: Trigger, offset: Int64) -> Bool {
    guard case .time(let schedule) = trigger, let holidays = holidays[trigger.text] else { return false }
    let words = (schedule.zone ?? zone).civil(at: time - offset).text.prefix(10)
    return Holidays.Day(String(words)).map(holidays.contains) ?? false
  }

  private static func overlap(_ value: JSON?, isTimed: Bool) throws(JobError) -> (Overlap, String?) {
    switch value {
    case nil: return (isTimed ? .skip : .queue(limit: nil), nil)
    case .string("skip")?: return (.skip, nil)
    case .string("queue")?: return (.queue(limit: nil), nil)
    case .string("restart")?: return (.restart, nil)
    case .object?:
      var entries = try DeclarationReader(value!, at: "overlap")
      let key = try entries.text("key")
      let limit = try entries.number("queue", in: 0...1_000_000)
      let count = try entries.number("parallel", in: 1...1000)
      let policy = try entries.text("policy")
      try entries.end()
      if let count { return (.parallel(count: count, limit: limit), key) }
      if limit != nil { return (.queue(limit: limit), key) }
      return (try overlap(policy.map { .string($0) }, isTimed: isTimed).0, key)
    case let other?:
      throw .declaration(
        "overlap", "expected \"skip\", \"queue\", \"restart\" or a table, got \(other.kind)",
        hint: "for example { queue = 10 } or { parallel = 2, key = \"json.order.id\" }")
    }
  }
}

extension JobGroup {
  fileprivate init(_ value: JSON) throws(JobError) {
    var entries = try DeclarationReader(value, at: "group")
    guard let name = try entries.text("name"), !name.isEmpty else {
      throw entries.failure("name", "is missing", hint: "for example group = { name = \"crm\", at_most = 2 }")
    }
    guard let atMost = try entries.number("at_most", in: 1...1000) else {
      throw entries.failure("at_most", "is missing", hint: "for example group = { name = \"crm\", at_most = 2 }")
    }
    self.init(name: name, atMost: atMost)
    try entries.end()
  }
}

extension Retry {
  fileprivate init(_ value: JSON) throws(JobError) {
    var entries = try DeclarationReader(value, at: "retry")
    attempts = try entries.number("attempts", in: 1...1000) ?? attempts
    first = try entries.interval("first", atLeast: 1) ?? first
    most = try entries.interval("most", atLeast: 1) ?? max(most, first)
    codes = try entries.texts("on", longest: 100).map { Set($0) }
    guard most >= first else { throw entries.failure("most", "is shorter than first") }
    try entries.end()
  }
}

extension Keep {
  fileprivate init(_ value: JSON) throws(JobError) {
    var entries = try DeclarationReader(value, at: "keep")
    days = try entries.number("days", in: 0...36500) ?? days
    runs = try entries.number("runs", in: 1...10_000_000) ?? runs
    try entries.end()
  }
}

extension JobDeclaration {
  /// The next due times of a job with this name, for a person to look at. Intervals begin at `moment`.
  package func dueTimes(of name: String, after moment: Int64, count: Int) -> [(
    time: Int64, trigger: String, zone: Zone
  )] {
    let offset = offset(of: name)
    var times: [(time: Int64, trigger: String, zone: Zone)] = []
    for trigger in triggers {
      guard case .time(let schedule) = trigger else { continue }
      var (last, found) = (moment - offset, 0)
      while found < count, let next = schedule.next(after: last, anchor: moment) {
        last = next
        if isHoliday(next, of: trigger, offset: 0) { continue }
        found += 1
        times.append((next + offset, schedule.text, schedule.zone ?? zone))
      }
    }
    return Array(times.sorted { $0.time < $1.time }.prefix(count))
  }

  /// The most runs that a backfill makes, and the due times behind which nobody counts on.
  static let mostBackfilled = 1000
  private static let mostCounted = 10_000

  /// The due times from one moment up to another.
  /// - Parameter anchors: the starts of intervals, by the texts of their triggers.
  /// - Throws: `too_many` with the number if there are too many.
  func pastTimes(
    of name: String, from: Int64, until: Int64, anchors: [String: Int64]
  ) throws(JobError) -> [(time: Int64, kind: String)] {
    let offset = offset(of: name)
    var times: [(time: Int64, kind: String)] = []
    for trigger in triggers {
      guard case .time(let schedule) = trigger else { continue }
      var last = from - offset - 1
      let anchor = anchors[trigger.text] ?? from
      while times.count <= Self.mostCounted, let next = schedule.next(after: last, anchor: anchor),
        next + offset <= until
      {
        last = next
        if !isHoliday(next, of: trigger, offset: 0) { times.append((next + offset, trigger.kind)) }
      }
    }
    guard times.count <= Self.mostBackfilled else {
      let count = times.count > Self.mostCounted ? "more than \(Self.mostCounted)" : "\(times.count)"
      throw JobError(
        "too_many",
        "the job \(name) has \(count) due times from \(zone.civil(at: from).text) to \(zone.civil(at: until).text); "
          + "a backfill makes at most \(Self.mostBackfilled) runs", hint: "give a shorter time with --from and --to")
    }
    return times.sorted { $0.time < $1.time }
  }
}
