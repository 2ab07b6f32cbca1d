import Core
package import Files
import Glibc

/// An import as its journal knows it, for people.
package struct JournalSummary: Sendable, Equatable {
  /// The journal's name for people: the beginning of its file's name; nil for a journal in memory.
  package var shortID: String?
  /// The file; nil for a journal in memory.
  package var path: String?
  /// Nil if the file cannot be read; see `trouble`.
  package var identity: ImportIdentity?
  /// Unix seconds.
  package var created: Int
  /// The time of the last change, in Unix seconds.
  package var updated: Int
  package var rows = 0
  package var counts = RowCounts()
  /// True if the source was read to its end and each of its rows is settled.
  package var isFinished = false
  package var holder: JournalHolder?
  /// The reason why the file cannot be used.
  package var trouble: Trouble?
  /// The machines and blocks of an import in a database; nil for a journal of this machine.
  package var shared: SharedSummary?
  /// The place of the file, to open it again.
  package var place: OutputPlace?

  /// The message and the code of an error.
  package struct Trouble: Sendable, Equatable {
    package let message: String
    package let code: String

    package init(message: String, code: String) {
      self.message = message
      self.code = code
    }
  }

  package init(shortID: String? = nil, path: String?, identity: ImportIdentity? = nil, created: Int, updated: Int) {
    self.shortID = shortID
    self.path = path
    self.identity = identity
    self.created = created
    self.updated = updated
  }
}

/// The numbers of rows by their outcomes.
package struct RowCounts: Sendable, Equatable {
  package var added = 0
  package var skipped = 0
  package var failed = 0
  package var unsettled = 0
  /// Sent, and to be found out later.
  package var unknown = 0

  package init() {}

  package var settled: Int { added + skipped + failed + unsettled }

  package static func + (one: RowCounts, other: RowCounts) -> RowCounts {
    var sum = one
    sum.added += other.added
    sum.skipped += other.skipped
    sum.failed += other.failed
    sum.unsettled += other.unsettled
    sum.unknown += other.unknown
    return sum
  }
}

/// The process that has a journal open to import.
package struct JournalHolder: Sendable, Equatable {
  package var process: Int
  /// The beginning in Unix seconds.
  package var since: Int

  package init(process: Int, since: Int) {
    self.process = process
    self.since = since
  }

  package var isSelf: Bool { process == Int(getpid()) }

  /// The beginning in local time: `08:11`, with the day before it if that is not today.
  package func sinceText(now: Int) -> String {
    let (since, now) = (UnixTime(Double(since)), UnixTime(Double(now)))
    let day = "%Y-%m-%d"
    let isToday = since.text(day, inLocalTime: true) == now.text(day, inLocalTime: true)
    return since.text(isToday ? "%H:%M" : "\(day) %H:%M", inLocalTime: true)
  }
}
