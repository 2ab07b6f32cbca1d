import Core
package import HostLoop
package import JSON
package import Jobs
package import Schedule

/// A job with its next due time and its last run, as lists and pages show it.
package struct JobOverview: Sendable {
  package let record: JobRecord
  /// Nil for a script without a correct declaration.
  package let declaration: JobDeclaration?
  /// Why there is no declaration.
  package let trouble: String?
  /// The next due time in milliseconds since 1970; nil if none comes by the clock.
  package let next: Int64?
  /// The zone of the next due time.
  package let zone: Zone
  /// The newest runs, the newest first.
  package let runs: [RunRecord]

  /// - Parameters:
  ///   - store: the history; nil if there is none yet.
  ///   - zone: the zone of times that name none.
  ///   - now: in milliseconds since 1970.
  @HostActor
  package init(_ record: JobRecord, _ store: JobStore?, zone: Zone, now: Int64, runs count: Int = 20) async throws {
    self.record = record
    var trouble = record.trouble
    var declaration: JobDeclaration?
    if let json = record.declaration, trouble == nil {
      do { declaration = try JobDeclaration(json, zone: zone) } catch { trouble = trouble ?? error.message }
    }
    self.declaration = declaration
    self.trouble = trouble
    var records: [String: TriggerRecord] = [:]
    for record in try await store?.triggers(of: record.name) ?? [] { records[record.text] = record }
    var next: (time: Int64, zone: Zone)?
    // Due times of a job that is paused or held are skipped.
    let starts = record.pause == nil && record.missing.isEmpty
    for trigger in starts ? declaration?.triggers ?? [] : [] {
      guard case .time(let schedule) = trigger else { continue }
      let record = records[trigger.text]
      let offset = declaration?.offset(of: self.record.name) ?? 0
      var due: Int64? = max(now, record?.last ?? now) - offset
      repeat {
        due = due.flatMap { schedule.next(after: $0, anchor: record?.anchor ?? now) }
      } while due.map {
        declaration?.isHoliday($0, of: trigger, offset: 0) == true
      } ?? false
      if let due, due + offset < next?.time ?? .max { next = (due + offset, schedule.zone ?? zone) }
    }
    self.next = next?.time
    self.zone = next?.zone ?? zone
    var filter = JobStore.Filter()
    filter.job = record.name
    filter.limit = count
    runs = try await store?.runs(filter) ?? []
  }

  /// The state in a word: `ready`, `running`, `paused`, `held`, `broken`.
  package var state: String {
    if trouble != nil { return "broken" }
    if !record.missing.isEmpty { return "held" }
    if record.pause != nil { return "paused" }
    return runs.contains { $0.state == .started } ? "running" : "ready"
  }

  /// Why the job does not start; nil if it does.
  package var reason: String? {
    trouble ?? (record.missing.isEmpty ? record.pause : "needs \(record.missing.joined(separator: " "))")
  }

  /// The sentence about a job that does not start, with the way out; nil if it starts.
  /// - Parameter commandLine: makes a command complete, such as `jobs resume tick`.
  package func problem(_ commandLine: (String) -> String) -> String? {
    guard let reason else { return nil }
    switch state {
    case "held": return "the job \(record.name) is held: it \(reason); \(commandLine("jobs allow \(record.name)"))"
    case "paused":
      return "the job \(record.name) is paused\(reason == "by hand" ? " by hand" : ": \(reason)"); "
        + commandLine("jobs resume \(record.name)")
    default: return "the job \(record.name) does not run: \(reason)"
    }
  }

  package var triggers: [String] { declaration?.triggers.map(\.text) ?? [] }

  /// The result of the last run that has ended.
  package var last: RunRecord? { runs.first { !$0.state.isOpen && $0.state != .skipped } }

  package var json: JSON {
    var members: [String: JSON] = [
      "name": .string(record.name), "script": .string(record.path), "on": .array(triggers.map { .string($0) }),
      "state": .string(state), "needs": .array(record.needs.map { .string($0) }),
      "allowed": .array(record.allowed.map { .string($0) }), "failures": .integer(Int64(record.failures)),
    ]
    members["summary"] = declaration.map { .string($0.summary) }
    members["reason"] = reason.map { .string($0) }
    members["next"] = next.map { .instant($0) }
    members["zone"] = next.map { _ in .string(zone.name) }
    members["last"] = last?.overview
    if !record.warnings.isEmpty { members["warnings"] = .array(record.warnings.map { .string($0) }) }
    return .object(members)
  }
}

extension RunRecord {
  /// The time from the start to the end, such as `0.3 s` or `5 min`; nil for a run that has not ended.
  package var took: String? {
    guard let started, let ended else { return nil }
    let time = max(0, ended - started)
    guard time < 10_000 else { return UnixTime.span(Double(time) / 1000) }
    return time < 100 ? "< 0.1 s" : "\(time / 1000).\(time % 1000 / 100) s"
  }

  /// All that is known of the run, for programs. Times are in UTC (RFC 3339).
  package var overview: JSON {
    var members: [String: JSON] = [
      "id": .integer(id), "job": .string(job), "kind": .string(kind), "state": .string(state.rawValue),
      "attempt": .integer(Int64(attempt)), "count": .integer(count), "event": event, "created": .instant(created),
    ]
    for (name, time) in [("due", due), ("until", until), ("wake", wake), ("started", started), ("ended", ended)] {
      members[name] = time.map { .instant($0) }
    }
    members["reason"] = reason.map { .string($0) }
    members["exit"] = exit.map { .integer(Int64($0)) }
    members["error"] = error?.json
    members["progress"] = progress
    members["machine"] = machine.map { .string($0) }
    return .object(members)
  }
}

extension JSON {
  /// A time in milliseconds since 1970 as text.
  package static func instant(_ milliseconds: Int64) -> JSON {
    .string(UnixTime(Double(milliseconds) / 1000).iso(fractionDigits: 3))
  }
}
