import Testing

@testable import HostLoop

@Suite struct WaitTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let asked: Double?
    let least: Double
    let deadline: Double
    let seconds: Double
    let fits: Bool
    var testDescription: String { "\(asked.map { "\($0)" } ?? "none"), at least \(least), deadline \(deadline)" }
  }

  static let cases = [
    Case(asked: nil, least: 0, deadline: 60, seconds: 0, fits: true),
    Case(asked: 12, least: 1, deadline: 60, seconds: 12, fits: true),
    Case(asked: 1, least: 5, deadline: 60, seconds: 5, fits: true),
    Case(asked: 61, least: 1, deadline: 60, seconds: 60, fits: false),
    Case(asked: 1e300, least: 1, deadline: Wait.longest, seconds: 31 * 86400, fits: false),
    Case(asked: .infinity, least: 1, deadline: 60, seconds: 60, fits: false),
    Case(asked: .nan, least: 2, deadline: 60, seconds: 2, fits: true),
    Case(asked: -4, least: 0, deadline: 60, seconds: 0, fits: true),
    Case(asked: 4, least: 0, deadline: -1, seconds: 0, fits: false),
  ]

  @Test(arguments: cases) func aWaitIsAsLongAsAskedAndNotLongerThanTheTimeThatIsLeft(_ given: Case) {
    let wait = Wait(asked: given.asked, least: given.least, deadline: given.deadline)
    #expect(wait.seconds == given.seconds && wait.fits == given.fits)
    #expect(wait.isOver == (given.deadline <= 0))
  }
}
