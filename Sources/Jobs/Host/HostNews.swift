import HostLoop
package import JobConditions

/// Something that a job host tells those who watch it.
package enum HostNews: Sendable {
  /// A sentence that a person should know.
  case message(Turn.LogLevel, String)
  /// A run is new, or has changed.
  case run(RunRecord)
  /// The history has lost a run.
  case removed(run: Int64)
  /// The condition of the host is another one.
  case condition(HostCondition)
  /// This machine plans, and has loaded the jobs.
  case planning
  /// Notices wait to be sent.
  case notices
  /// Somebody wants the scripts read again.
  case reload
  /// Another machine plans.
  case standingBy
}

/// The watchers of a job host.
@HostActor
struct HostWatchers {
  private var watchers: [@HostActor (HostNews) -> Void] = []
  /// The last condition that was told.
  private var condition: HostCondition?

  mutating func add(_ watcher: @escaping @HostActor (HostNews) -> Void) { watchers.append(watcher) }

  func tell(_ news: HostNews) { for watcher in watchers { watcher(news) } }

  /// Notes a condition. Returns false for the one that was told last.
  mutating func isNew(_ condition: HostCondition) -> Bool {
    defer { self.condition = condition }
    return condition != self.condition
  }
}

extension JobHost {
  /// Calls `watcher` with all that happens from now on.
  package func watch(_ watcher: @escaping @HostActor (HostNews) -> Void) { watchers.add(watcher) }

  func tell(_ news: HostNews) {
    // A watcher may add another one.
    let present = watchers
    present.tell(news)
  }

  /// Tells a person.
  package func log(_ level: Turn.LogLevel, _ text: String) { tell(.message(level, text)) }
}
