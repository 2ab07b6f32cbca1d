import Testing

@testable import ImportEngine

@Suite struct RateLimiterTests {
  @Test func noRateNoDelay() {
    var limiter = RateLimiter(rowsPerSecond: nil)
    let delays = (0..<1000).map { _ in limiter.delay(at: 1) }
    #expect(delays.allSatisfy { $0 == 0 })
  }

  @Test func slotsAreEvenlySpaced() {
    var limiter = RateLimiter(rowsPerSecond: 4)
    let delays = (0..<5).map { _ in limiter.delay(at: 10) }
    #expect(delays == [0, 0.25, 0.5, 0.75, 1])
  }

  /// Whoever sends as soon as allowed gets the rate, and not more in any second.
  @Test(arguments: [0.5, 5, 100, 20_000]) func rateIsKept(rate: Double) {
    var limiter = RateLimiter(rowsPerSecond: rate)
    var now = 100.0
    var slots: [Double] = []
    for row in 0..<2000 {
      now += limiter.delay(at: now)
      slots.append(now)
      // A timer that is late, now and then.
      if row % 50 == 0 { now += 0.02 }
    }
    let passed = slots.last! - slots.first!
    #expect(1999 / passed <= rate + 0.05 * rate / passed + 1e-6)
    if rate <= 100 { #expect(1999 / passed > 0.97 * rate) }
    for (index, slot) in slots.enumerated() {
      let inASecond = slots[index...].prefix { $0 < slot + 1 }.count
      #expect(Double(inASecond) <= rate * 1.05 + 2)
    }
  }

  @Test func idleTimeIsNotSavedUp() {
    var limiter = RateLimiter(rowsPerSecond: 100)
    _ = limiter.delay(at: 0)
    let atOnce = (0..<100).prefix { _ in limiter.delay(at: 60) == 0 }.count
    #expect(atOnce == 6)
  }
}
