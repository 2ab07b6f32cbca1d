import Core
import Databases
import HostLoop

/// Repeats statements while the database is away, and tells once that it is.
@HostActor
final class DatabasePatience {
  /// Gets a notice when the database goes away, and one when it is back; nil to tell nobody.
  private let signals: SharedSignals?
  private let place: String
  private var isAway = false
  /// The calls that failed and are repeated. A call that succeeds meanwhile does not mean that the database is back: a full
  /// disk lets statements pass that need no room.
  private var waiting = 0
  /// The seconds between two tries.
  private static let first = 0.25
  private static let longest = 5.0

  init(_ place: String, _ signals: SharedSignals? = nil) {
    self.place = place
    self.signals = signals
  }

  /// Runs `body` until it succeeds, or fails for another reason than that the database is away. A canceled task stops.
  /// What `body` does may be done twice: the answer of the first time may have got lost.
  func repeating<Result: Sendable>(_ body: @HostActor () async throws -> Result) async throws -> Result {
    var pause = Self.first
    var isWaiting = false
    defer { if isWaiting { end() } }
    while true {
      do {
        let result = try await body()
        if isWaiting, waiting == 1, isAway { signals?.yield(.notice("the database \(place) is back")) }
        return result
      } catch let error as PostgresError where error.isPassing {
        if !isWaiting { waiting += 1 }
        isWaiting = true
        if !isAway, error.kind != .conflict {
          isAway = true
          // The way out of a full disk is not in its message.
          let hint = error.kind == .diskFull ? error.hint.map { " (\($0))" } ?? "" : ""
          signals?.yield(
            .notice("\(error.message)\(hint); waiting for it: rows under way are kept, and nothing is lost"))
        }
        try await HostLoop.shared.sleep(seconds: pause)
        pause = min(pause * 2, Self.longest)
      }
    }
  }

  private func end() {
    waiting -= 1
    if waiting == 0 { isAway = false }
  }
}
