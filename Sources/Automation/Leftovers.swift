package import HostLoop

/// The list of unfinished work of scripts, reported when the run ends.
@HostActor
package final class Leftovers {
  /// Others are counted.
  private static let mostShown = 5

  private var counts: [String: Int] = [:]
  private var order: [String] = []

  /// - Parameter text: what is wrong, and what to do.
  package func add(_ text: String) {
    if counts[text] == nil { order.append(text) }
    counts[text, default: 0] += 1
  }

  /// Warns, once.
  package func report(_ console: Console) {
    for text in order.prefix(Self.mostShown) {
      let count = counts[text] ?? 1
      console.log(.warn, count == 1 ? text : "\(text) (\(count) times)")
    }
    let more = order.dropFirst(Self.mostShown).reduce(0) { $0 + (counts[$1] ?? 1) }
    if more > 0 { console.log(.warn, "\(more) more coroutines and timers were left like this") }
    order = []
    counts = [:]
  }
}
