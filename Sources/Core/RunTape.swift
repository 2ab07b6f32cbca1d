import Synchronization

/// The inputs of a run, besides the answers of servers.
package enum RunInput: String, CaseIterable, Sendable {
  /// Random bytes.
  case random
  /// A new key.
  case key
  /// A reading of the clock by the script.
  case clock
  /// The contents of a file that the script reads.
  case file
  /// The settings of the run.
  case settings
  /// The number of accounts in the store.
  case accounts
  /// The results of a function of the local tenant.
  case tenant
  /// The address to which a person's browser came back.
  case agent
}

/// Keeps what a run takes in, so that a replay gets the same.
package protocol RunTape: Sendable {
  /// Returns what `make` makes and keeps it, or what was kept in the recorded run.
  /// - Parameter about: which of its kind: the path of a file, the name of a function.
  /// - Throws: what `make` throws; in a replay, the difference from the recorded run.
  func input(_ kind: RunInput, _ about: String, _ make: () throws -> [UInt8]) throws -> [UInt8]
  /// The same for an input that takes time.
  nonisolated(nonsending) func input(
    _ kind: RunInput, _ about: String, waiting make: () async throws -> [UInt8]
  ) async throws -> [UInt8]
}

/// The tape of this process; nil for a run that is neither kept nor replayed.
package enum CurrentTape {
  private static let tape = Mutex<(any RunTape)?>(nil)
  private static let isSet = Atomic(false)

  package static var value: (any RunTape)? {
    get { isSet.load(ordering: .acquiring) ? tape.withLock { $0 } : nil }
    set {
      tape.withLock { $0 = newValue }
      isSet.store(newValue != nil, ordering: .releasing)
    }
  }

  /// Runs `body`, which takes in what belongs to no script.
  package static func paused<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    let tape = value
    value = nil
    defer { value = tape }
    return try body()
  }
}

/// The system's random numbers, or those of the recorded run in a replay.
package struct RunRandom: RandomNumberGenerator {
  package init() {}

  package mutating func next() -> UInt64 {
    func make() -> [UInt8] { withUnsafeBytes(of: UInt64.random(in: 0...UInt64.max)) { Array($0) } }
    // A tape that has no more has told so, and ends the run.
    guard let tape = CurrentTape.value, let bytes = try? tape.input(.random, "8", make), bytes.count == 8 else {
      return UInt64.random(in: 0...UInt64.max)
    }
    return bytes.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
  }
}
