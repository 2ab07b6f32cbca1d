import Core
import HostLoop

extension Console {
  /// Writes a log line for another thread, which does not wait for it: soon, and before whatever is written or asked here
  /// from now on. It is for those who read it now, and `onLog` is not told.
  package nonisolated func post(_ level: Level, _ message: String) {
    // By the secrets of now: a one-time code is one from when it is typed.
    let clean = OutputText(message).text
    posted.withLock { $0.append((level, clean)) }
    HostActor.task { self.writePosted() }
  }

  func writePosted() {
    let lines = posted.withLock { posted in
      defer { posted = [] }
      return posted
    }
    for (level, message) in lines where level >= self.level { write(clean: line(level, message)) }
  }
}
