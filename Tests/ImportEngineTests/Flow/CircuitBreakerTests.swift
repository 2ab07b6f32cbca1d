import Testing

@testable import ImportEngine

@Suite struct CircuitBreakerTests {
  /// Sends through a breaker to a server that is away from second 100 on, for so long. Returns when it closed again or
  /// was given up, in seconds from then, and how many requests went out meanwhile.
  private func outage(
    of seconds: Double, _ breaker: CircuitBreaker = CircuitBreaker(), trouble: CircuitBreaker.Trouble = .unreachable,
    answersAfter latency: Double = 0.001
  ) -> (end: Double, requests: Int, state: CircuitBreaker.State) {
    var breaker = breaker
    var now = 100.0
    var requests = 0
    while now < 10_000 {
      if breaker.admits(at: now) {
        requests += 1
        now += latency
        if now < 100 + seconds {
          breaker.failed(trouble, latency: latency, at: now)
        } else {
          breaker.succeeded()
          return (now - 100, requests, breaker.state)
        }
      }
      switch breaker.state {
      case .givenUp: return (now - 100, requests, breaker.state)
      case .open(let until): now = max(now, until)
      case .closed, .halfOpen: break
      }
    }
    return (now - 100, requests, breaker.state)
  }

  @Test(arguments: [1.0, 5, 20, 30, 45]) func restartIsSurvived(seconds: Double) {
    let outcome = outage(of: seconds)
    #expect(outcome.state == .closed)
    #expect(outcome.end < seconds + 10)
    #expect(outcome.requests < 14)
  }

  @Test(arguments: [CircuitBreaker.Trouble.unreachable, .server]) func outageEndsWithinAMinute(
    trouble: CircuitBreaker.Trouble
  ) {
    let outcome = outage(of: .infinity, trouble: trouble)
    #expect(outcome.state == .givenUp)
    #expect((45...60).contains(outcome.end))
    #expect(outcome.requests < 25)
  }

  @Test func silentServerIsGivenUpToo() {
    let outcome = outage(of: .infinity, CircuitBreaker(threshold: 1), trouble: .server, answersAfter: 30)
    #expect(outcome.state == .givenUp)
    #expect(outcome.end < 95)
  }

  @Test func retriesScaleThePatience() {
    #expect(outage(of: .infinity, CircuitBreaker(retries: 0)).end < 0.1)
    #expect((8...12).contains(outage(of: .infinity, CircuitBreaker(retries: 1)).end))
    #expect((590...620).contains(outage(of: .infinity, CircuitBreaker(retries: 60)).end))
  }

  @Test func opensAfterSeveralInARow() {
    var breaker = CircuitBreaker(threshold: 10)
    for _ in 1..<10 { breaker.failed(.server, latency: 0.1, at: 1) }
    breaker.succeeded()
    for _ in 1..<10 { breaker.failed(.server, latency: 0.1, at: 1) }
    #expect(breaker.state == .closed)
    #expect(breaker.admits(at: 1) == true)
    breaker.failed(.server, latency: 0.1, at: 1)
    #expect(breaker.state == .open(until: 1.5))
    #expect(breaker.admits(at: 1.49) == false)
  }

  @Test func oneRequestGoesToSee() {
    var breaker = CircuitBreaker()
    for _ in 1...3 { breaker.failed(.unreachable, latency: 0, at: 0) }
    #expect(breaker.admits(at: 0.5) == true)
    #expect(breaker.state == .halfOpen)
    #expect(breaker.admits(at: 0.6) == false)
    // One that had been under way all the time.
    breaker.failed(.server, latency: 0.7, at: 0.6)
    #expect(breaker.state == .halfOpen)
    breaker.failed(.unreachable, latency: 0.2, at: 0.7)
    #expect(breaker.state == .open(until: 1.7))
    #expect(breaker.admits(at: 1.7) == true)
    breaker.succeeded()
    #expect(breaker.state == .closed)
    let admitted = (0..<5).map { _ in breaker.admits(at: 1.7) }
    #expect(admitted == [true, true, true, true, true])
  }

  /// The answer of a request from before it opened shows that the server works as well.
  @Test func anySuccessCloses() {
    var breaker = CircuitBreaker()
    for _ in 1...3 { breaker.failed(.unreachable, latency: 0, at: 0) }
    breaker.succeeded()
    #expect(breaker.state == .closed)
  }

  @Test func whatTheServerAsksForIsGranted() {
    var breaker = CircuitBreaker(threshold: 4)
    for request in 0..<16 { breaker.failed(.server, latency: 0.1, at: Double(request) / 100, retryAfter: 120) }
    #expect(breaker.state == .open(until: 120.15))
    #expect(breaker.admits(at: 120.15) == true)
    // The two minutes do not count: it is waited for as long as any other.
    breaker.failed(.server, latency: 0.1, at: 120.25)
    #expect(breaker.state != .givenUp)
  }

  @Test func aServerThatOnlyEverAsksIsGivenUp() {
    var breaker = CircuitBreaker(retries: 5)
    var now = 0.0
    var requests = 0
    while breaker.state != .givenUp, requests < 100 {
      if case .open(let until) = breaker.state { now = max(now, until) }
      #expect(breaker.admits(at: now) == true)
      requests += 1
      breaker.failed(.server, latency: 0, at: now, retryAfter: 60)
      now += 60
    }
    #expect(requests == 6)
  }

  @Test func givenUpStaysGivenUp() {
    var breaker = CircuitBreaker(retries: 0)
    for _ in 1...3 { breaker.failed(.unreachable, latency: 0, at: 0) }
    breaker.succeeded()
    breaker.failed(.server, latency: 0, at: 1)
    #expect(breaker.state == .givenUp)
    #expect(breaker.admits(at: 1000) == false)
  }
}
