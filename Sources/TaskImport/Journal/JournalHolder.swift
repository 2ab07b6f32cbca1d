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

  /// Whether it is this process.
  package var isSelf: Bool { process == Int(getpid()) }

  /// `08:11`, or with the day before it when that is not today, in local time.
  package func sinceText(now: Int) -> String {
    let today = Self.text(now, "%Y-%m-%d")
    let day = Self.text(since, "%Y-%m-%d")
    return Self.text(since, day == today ? "%H:%M" : "%Y-%m-%d %H:%M")
  }

  private static func text(_ seconds: Int, _ format: String) -> String {
    var seconds = time_t(seconds)
    var parts = tm()
    localtime_r(&seconds, &parts)
    var buffer = [CChar](repeating: 0, count: 32)
    let count = strftime(&buffer, buffer.count, format, &parts)
    return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
