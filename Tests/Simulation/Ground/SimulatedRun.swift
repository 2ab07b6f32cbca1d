package import HostLoop

/// The result of a run.
package struct SimulatedResult: Sendable {
  package var violations: [String] = []
  /// How often an invariant was checked.
  package var checks = 0
  /// The simulated seconds.
  package var seconds = 0.0
  /// A digest of everything that the run did, in order: equal for equal runs.
  package var digest: UInt64 = 0
  /// The last lines of the run's log.
  package var log: [String] = []
  package init() {}
}

/// A part of the program with simulated doors.
@HostActor
package protocol SimulatedWorld {
  static var name: String { get }
  /// The events of a seed, in the order of their times.
  static func events(of seed: UInt64) -> [SimulatedEvent]
  /// Lives through some events, and then through a time without faults, at whose end everything has to be in order.
  static func run(_ seed: UInt64, _ events: [SimulatedEvent]) async throws -> SimulatedResult
}

/// Makes the events of a failing run fewer, as long as it fails (delta debugging: Zeller, Hildebrandt, 2002).
@HostActor
package struct Shrinker {
  let world: any SimulatedWorld.Type
  let seed: UInt64
  /// The most runs.
  var patience = 200

  package init(_ world: any SimulatedWorld.Type, seed: UInt64) { (self.world, self.seed) = (world, seed) }

  /// Returns the fewest events found with which the run fails, and its result.
  package mutating func shrink(
    _ events: [SimulatedEvent], _ result: SimulatedResult
  ) async throws -> (events: [SimulatedEvent], result: SimulatedResult) {
    var (events, result) = (events, result)
    guard let kind = result.violations.first.map(Self.kind) else { return (events, result) }
    var parts = 2
    while !events.isEmpty, patience > 0 {
      let size = max(1, (events.count + parts - 1) / parts)
      var hasShrunk = false
      for start in stride(from: 0, to: events.count, by: size) where patience > 0 {
        patience -= 1
        let fewer = Array(events[..<start] + events[min(events.count, start + size)...])
        var found = try await world.run(seed, fewer)
        // Another violation is another problem.
        found.violations = found.violations.filter { Self.kind($0) == kind }
        guard !found.violations.isEmpty else { continue }
        (events, result, hasShrunk) = (fewer, found, true)
        break
      }
      if hasShrunk {
        parts = max(2, parts - 1)
      } else if size == 1 {
        break
      } else {
        parts = min(events.count, parts * 2)
      }
    }
    return (events, result)
  }

  /// A violation without its numbers.
  private static func kind(_ violation: String) -> String { violation.filter { !$0.isNumber && $0 != "-" } }
}
