package import JSON

/// The notices that have not been sent yet.
package struct NoticeBox: Sendable, Equatable {
  package struct Entry: Sendable, Equatable {
    package var run: Int64
    package var job: String
    package var notice: Notice
    /// The run as the receiver gets it.
    package var content: JSON
    /// The tries that have failed.
    package var attempts = 0
    /// The time of the next try, in milliseconds since 1970.
    package var wake: Int64
  }

  /// The notices that wait at once. Later ones are dropped: the receiver has been away for long.
  private static let mostEntries = 1000
  /// The tries: the last one is about a day after the first.
  private static let mostAttempts = 10
  private static let firstPause: Int64 = 60_000
  private static let longestPause: Int64 = 6 * 3_600_000

  package private(set) var entries: [Entry] = []

  package init() {}

  /// Adds a notice. Returns false if too many wait.
  package mutating func add(_ notice: Notice, of run: Int64, _ job: String, _ content: JSON, now: Int64) -> Bool {
    guard entries.count < Self.mostEntries else { return false }
    entries.append(Entry(run: run, job: job, notice: notice, content: content, wake: now))
    return true
  }

  package mutating func remove(_ run: Int64, _ notice: Notice) {
    entries.removeAll { $0.run == run && $0.notice == notice }
  }

  /// A try failed. Returns false if it was the last one: then the notice is forgotten.
  package mutating func postpone(_ run: Int64, _ notice: Notice, now: Int64) -> Bool {
    guard let index = entries.firstIndex(where: { $0.run == run && $0.notice == notice }) else { return true }
    entries[index].attempts += 1
    guard entries[index].attempts < Self.mostAttempts else {
      entries.remove(at: index)
      return false
    }
    entries[index].wake = now + min(Self.longestPause, Self.firstPause << Int64(entries[index].attempts - 1))
    return true
  }

  // MARK: JSON

  package var json: JSON {
    .array(
      entries.map { entry in
        [
          "run": .integer(entry.run), "job": .string(entry.job), "attempts": .integer(Int64(entry.attempts)),
          "wake": .integer(entry.wake), "content": entry.content, "on": .string(entry.notice.on.rawValue),
          "to": .string(entry.notice.to),
        ]
      })
  }

  /// Entries that nobody can read are left out.
  package init(_ json: JSON?) {
    for entry in json?.array ?? [] {
      guard let run = entry["run"]?.lenientInteger, let job = entry["job"]?.string,
        let wake = entry["wake"]?.lenientInteger,
        let notice = try? Notice(["on": entry["on"] ?? .null, "to": entry["to"] ?? .null])
      else { continue }
      let attempts = Int(clamping: entry["attempts"]?.lenientInteger ?? 0)
      entries.append(
        Entry(run: run, job: job, notice: notice, content: entry["content"] ?? .null, attempts: attempts, wake: wake))
    }
  }
}
