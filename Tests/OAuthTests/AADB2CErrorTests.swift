import OAuth
import Testing

@Suite struct AADB2CErrorTests {
  @Test func everyCodeOfTheTableHasAHint() {
    let codes = [
      90118, 90091, 90273, 90077, 90080, 90128, 90129, 90088, 90087, 90279, 90205, 90006, 90007, 90287, 90008, 90010,
      90018, 90083, 90012, 90055, 90117, 90146, 90013, 90014, 90086, 90057, 90058, 90079, 90081, 90084, 90107, 90110,
      90115, 90182, 90183, 90184, 99059, 90052, 90053, 90054, 90225, 90224, 90111, 90114, 90244, 90035, 90208, 90209,
      90210,
    ]
    for code in codes {
      #expect(AADB2CError.parse("AADB2C\(code): Some reason.")?.hint?.isEmpty == false, "AADB2C\(code)")
    }
  }

  @Test func linesAreTakenApart() {
    let parsed = AADB2CError.parse(
      "AADB2C90244: There are too many\r\nrequests.\r\nCorrelation ID: c-1\r\nTimestamp: 2019-09-17 09:50:39Z\r\n")
    #expect(parsed?.code == "AADB2C90244")
    #expect(parsed?.message == "There are too many requests")
    #expect(parsed?.correlationID == "c-1")
    #expect(parsed?.timestamp == "2019-09-17 09:50:39Z")
    #expect(parsed?.isRetryable == true)
  }

  @Test func codesWithoutAMessageAndUnknownOnesAreTold() {
    #expect(AADB2CError.parse("AADB2C90091:")?.message == "the user canceled")
    #expect(AADB2CError.parse("AADB2C12345: New.")?.message == "New")
    #expect(AADB2CError.parse("AADB2C12345: New.")?.hint == nil)
    #expect(AADB2CError.parse("AADSTS50076: MFA needed.")?.code == "AADSTS50076")
  }

  @Test(arguments: ["", "no colon", "AADB2C: nothing", "AADB2Cx1: no number", "Some: other text"])
  func otherTextIsNone(_ text: String) {
    #expect(AADB2CError.parse(text) == nil)
  }
}
