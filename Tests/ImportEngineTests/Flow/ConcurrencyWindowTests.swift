import Testing

@testable import ImportEngine

@Suite struct ConcurrencyWindowTests {
  /// The whole of 1…16 is open after 15 answers: the beginning costs nothing that anyone notices.
  @Test func doublesEachRoundTripInTheBeginning() {
    var window = ConcurrencyWindow(bounds: 1...16)
    #expect(window.limit == 1)
    var limits: [Int] = []
    for roundTrip in 1...5 {
      for _ in 0..<window.limit {
        window.succeeded(latency: 0.001, at: Double(roundTrip) * 0.001, inFlight: window.limit)
      }
      limits.append(window.limit)
    }
    #expect(limits == [2, 4, 8, 16, 16])
    #expect(window.changes.entries == [ConcurrencyChange(time: 0.004, limit: 16, reason: .starting)])
  }

  /// The server has as many workers as processors, and all are busy: requests queue, but the throughput is at its maximum.
  @Test(arguments: [16, 64, 256]) func doesNotCollapseOnABusyMachine(most: Int) {
    var window = ConcurrencyWindow(bounds: 1...most)
    let outcome = SimulatedServer(workers: 2, seconds: 0.00008, spread: 0.5).run(&window, for: 0.5)
    #expect(outcome.throughput > 0.99 / 0.00008 * 2)
    #expect(outcome.usualLimit > 0.9 * Double(most))
    #expect(window.changes.decreases.overloaded == 0)
  }

  @Test func usesAllOfADistantServer() {
    var window = ConcurrencyWindow(bounds: 1...64)
    let outcome = SimulatedServer(workers: 64, seconds: 0.02, distance: 0.1, spread: 0.3).run(&window, for: 60)
    #expect(outcome.usualLimit > 60)
    #expect(outcome.throughput > 0.9 * 64 / 0.12)
  }

  /// Eight at a time are answered in a quarter of a second; more of them only wait.
  @Test func doesNotQueueBehindASlowServer() {
    var window = ConcurrencyWindow(bounds: 1...64)
    let outcome = SimulatedServer(workers: 8, seconds: 0.25, spread: 0.2).run(&window, for: 300)
    #expect(outcome.throughput > 0.98 * 8 / 0.25)
    #expect((8..<24).contains(outcome.usualLimit))
    #expect(window.changes.decreases.latency > 0)
  }

  @Test func findsWhatTheServerBears() {
    var window = ConcurrencyWindow(bounds: 1...64)
    let outcome = SimulatedServer(workers: 10, seconds: 0.05, longestQueue: 10).run(&window, for: 60)
    #expect((10...21).contains(outcome.usualLimit))
    #expect(outcome.throughput > 0.95 * 10 / 0.05)
    #expect(Double(outcome.refused) < 0.02 * Double(outcome.answered))
  }

  @Test func recoversFromRefusals() {
    var window = ConcurrencyWindow(bounds: 1...32)
    let outcome = SimulatedServer(workers: 32, seconds: 0.05).run(&window, for: 30) { server, now in
      server.longestQueue = now > 5 && now < 10 ? -28 : .max
    }
    #expect(outcome.limits.min()! <= 8)
    #expect(outcome.limits.last == 32)
  }

  /// One refused request in a hundred is bad luck, not a server that bears one at a time.
  @Test func livesWithOccasionalRefusals() {
    var window = ConcurrencyWindow(bounds: 1...16)
    let outcome = SimulatedServer(workers: 16, seconds: 0.05, refusesEach: 100).run(&window, for: 60)
    #expect(outcome.usualLimit > 8)
  }

  @Test func aRefusedRoundTripIsOneDecrease() {
    var window = ConcurrencyWindow(bounds: 1...64)
    for _ in 1..<64 { window.succeeded(latency: 0.001, at: 0.001, inFlight: window.limit) }
    #expect(window.limit == 64)
    for request in 0..<64 { window.overloaded(latency: 0.1, at: 1 + Double(request) * 0.001) }
    #expect(window.limit == 44)
    window.overloaded(latency: 0.1, at: 1.2)
    #expect(window.limit == 30)
    // All of these time out after half a minute; they went out together, before the last decrease.
    for request in 0..<30 { window.overloaded(latency: 30, at: 31 + Double(request) * 0.001) }
    #expect(window.limit == 30)
    #expect(window.changes.decreases.overloaded == 2)
  }

  /// The server becomes three times as slow, for reasons of its own. Sending less does not help, so it is undone.
  @Test func aServerThatIsSlowByItselfIsNotTakenForBusy() {
    var window = ConcurrencyWindow(bounds: 1...16)
    let outcome = SimulatedServer(workers: 16, seconds: 0.1, spread: 0.1).run(&window, for: 120) { server, now in
      if now > 20 { server.seconds = 0.3 }
    }
    #expect(outcome.usualLimit > 15)
    #expect(window.changes.entries.contains { $0.reason == .restored })
  }

  /// It fell to one at a time when the server was restarted, which is slower since then.
  @Test func doesNotStayAtTheLowerBound() {
    var window = ConcurrencyWindow(bounds: 1...16)
    let outcome = SimulatedServer(workers: 16, seconds: 0.02).run(&window, for: 120) { server, now in
      server.longestQueue = now > 10 && now < 20 ? -15 : .max
      if now > 15 { server.seconds = 0.3 }
    }
    #expect(outcome.limits.min()! == 1)
    #expect(outcome.limits.last! == 16)
  }

  @Test func doesNotGrowWithoutUse() {
    var window = ConcurrencyWindow(bounds: 1...64)
    for row in 1...1000 { window.succeeded(latency: 0.05, at: Double(row), inFlight: 1) }
    #expect(window.limit <= 3)
  }

  @Test func oneBoundIsFixed() {
    var window = ConcurrencyWindow(bounds: 8...8)
    window.overloaded(latency: 0.1, at: 1)
    for row in 1...1000 { window.succeeded(latency: 5, at: 10 + Double(row), inFlight: 8) }
    #expect(window.limit == 8)
    #expect(window.changes.entries.isEmpty)
  }

  @Test func staysWithinItsBounds() {
    var window = ConcurrencyWindow(bounds: 4...6)
    for time in 0..<100 { window.overloaded(latency: 0.1, at: Double(time)) }
    #expect(window.limit == 4)
    for time in 100..<10_000 { window.succeeded(latency: 0.01, at: Double(time), inFlight: window.limit) }
    #expect(window.limit == 6)
  }

  /// A million changes leave no more behind than a few hundred, from the beginning to the end.
  @Test func changesAreBounded() {
    var window = ConcurrencyWindow(bounds: 1...64)
    for second in 0..<5000 {
      let time = Double(second)
      for answer in 0..<200 { window.succeeded(latency: 0.0001, at: time + Double(answer) / 1000, inFlight: 64) }
      window.overloaded(latency: 0.1, at: time + 0.5)
    }
    let changes = window.changes
    #expect(changes.entries.count <= ConcurrencyLog.capacity)
    #expect(changes.entries.count > ConcurrencyLog.capacity / 4)
    #expect(changes.entries.first!.time < 10)
    #expect(changes.entries.last!.time > 4998)
    #expect(zip(changes.entries, changes.entries.dropFirst()).allSatisfy { $0.time <= $1.time })
    #expect(changes.decreases.overloaded > 4000)
  }
}
