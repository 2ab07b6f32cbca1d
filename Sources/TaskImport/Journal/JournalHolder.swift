import Core
import Glibc

/// The process that has a journal open to import.
package struct JournalHolder: Sendable, Equatable {
  package var process: Int
  /// Since when, in Unix seconds.
  package var since: Int

  package init(process: Int, since: Int) {
    self.process = process
    self.since = since
  }

  /// True if it is this process.
  package var isSelf: Bool { process == Int(getpid()) }

  /// `08:11`, or with the day before it when that is not today, in local time.
  package func sinceText(now: Int) -> String {
    let (since, now) = (UnixTime(Double(since)), UnixTime(Double(now)))
    let day = "%Y-%m-%d"
    let isToday = since.text(day, inLocalTime: true) == now.text(day, inLocalTime: true)
    return since.text(isToday ? "%H:%M" : "\(day) %H:%M", inLocalTime: true)
  }
}
