import HostLoop
import TaskImport

/// Shows how an import gets on: a bar on a terminal, elsewhere a line every five seconds.
@HostActor
final class ImportProgress {
  private static let interval = 5.0

  private let console: Console
  private var lastLine = 0.0

  init(_ console: Console) { self.console = console }

  func show(_ snapshot: ProgressSnapshot) {
    if console.isTerminal {
      console.show(progress: ProgressLine.render(snapshot, width: console.width))
    } else if !console.isQuiet, snapshot.seconds - lastLine >= Self.interval {
      lastLine = snapshot.seconds
      console.write(ProgressLine.render(snapshot, width: 100))
    }
  }

  /// Takes the bar away.
  func end() { console.finish(progress: "") }
}
