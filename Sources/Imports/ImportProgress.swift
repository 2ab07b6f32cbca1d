package import Automation
package import HostLoop
package import ImportEngine
import ImportReport

/// Shows the progress of an import.
@HostActor
package final class ImportProgress {
  /// The ways to show it, by the names that scripts and the command line use.
  package enum Form: String, CaseIterable, Sendable {
    /// One line that is drawn again and again, on a terminal.
    case bar
    /// A line every five seconds.
    case lines
    /// A JSON object a line, for programs; also with `--quiet`.
    case json
    case none
  }

  /// Seconds between two of them, at least.
  private static let intervals: [Form: Double] = [.bar: 0.09, .lines: 5, .json: 0.5]

  private let console: Console
  private let form: Form
  private var last = 0.0

  /// - Parameter form: nil for a bar on a terminal and lines elsewhere.
  package init(_ console: Console, _ form: Form? = nil) {
    self.console = console
    let isBar = form == .bar || form == nil
    self.form = isBar ? (console.canShowProgress ? .bar : .lines) : form ?? .lines
  }

  /// Shows the snapshots of these events, and gives the notices to `body`.
  package func follow(_ events: Events, _ body: @escaping @HostActor (String) -> Void) {
    events.watch(ImportEvent.self) { [self] event, _ in
      switch event {
      case .notice(let sentence): body(sentence)
      case .progress(let snapshot): show(snapshot)
      case .phase, .retry, .failed: break
      }
    }
  }

  /// Takes a snapshot, some times a second and at the end.
  package func show(_ snapshot: ProgressSnapshot) {
    guard let interval = Self.intervals[form], snapshot.isFinished || snapshot.seconds - last >= interval
    else { return }
    last = snapshot.seconds
    switch form {
    case .bar: console.show(progress: ProgressLine.render(snapshot, width: console.width - 1))
    case .lines where !console.isQuiet && !snapshot.isFinished:
      console.write(ProgressLine.render(snapshot, width: 200, hasBar: false))
    case .json: console.write(ProgressJSON.render(snapshot))
    case .lines, .none: break
    }
  }

  /// Takes the bar away.
  package func end() { if form == .bar { console.finish(progress: "") } }
}
