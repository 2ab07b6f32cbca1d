import Testing

@testable import ImportEngine

/// Whom a `Retry-After` holds.
@Suite struct RequestedPausesTests {
  @Test func oneRowHoldsItselfAlone() {
    var pauses = RequestedPauses()
    #expect(pauses.asked(row: 3, seconds: 190, isAboutAll: false, at: 10) == nil)
    pauses.succeeded(begun: 11)
    #expect(pauses.asked(row: 4, seconds: 190, isAboutAll: false, at: 12) == nil)
    // The same row again.
    #expect(pauses.asked(row: 4, seconds: 190, isAboutAll: false, at: 13) == nil)
  }

  @Test func secondRowHoldsAllForTheShorterTime() {
    var pauses = RequestedPauses()
    #expect(pauses.asked(row: 3, seconds: 190, isAboutAll: false, at: 10) == nil)
    #expect(pauses.asked(row: 4, seconds: 2, isAboutAll: false, at: 11) == 13)
  }

  /// A success of a request that was under way before says nothing about what came since.
  @Test func earlierSuccessDoesNotCount() {
    var pauses = RequestedPauses()
    #expect(pauses.asked(row: 3, seconds: 5, isAboutAll: false, at: 10) == nil)
    pauses.succeeded(begun: 9)
    #expect(pauses.asked(row: 4, seconds: 5, isAboutAll: false, at: 10.5) == 15)
  }

  @Test func spentQuotaHoldsAll() {
    var pauses = RequestedPauses()
    #expect(pauses.asked(row: 3, seconds: 5, isAboutAll: true, at: 10) == 15)
  }

  @Test func whatIsOverDoesNotCount() {
    var pauses = RequestedPauses()
    #expect(pauses.asked(row: 3, seconds: 1, isAboutAll: false, at: 10) == nil)
    #expect(pauses.asked(row: 4, seconds: 5, isAboutAll: false, at: 12) == nil)
  }
}
