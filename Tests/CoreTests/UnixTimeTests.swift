import Core
import Testing

@Suite struct UnixTimeTests {
  @Test func isWritten() {
    let time = UnixTime(1_568_713_839.123_456)
    #expect(time.iso == "2019-09-17T09:50:39Z")
    #expect(time.iso(fractionDigits: 3) == "2019-09-17T09:50:39.123Z")
    #expect(time.iso(fractionDigits: 6) == "2019-09-17T09:50:39.123456Z")
    #expect(time.text("%Y-%m-%d %H:%M:%SZ") == "2019-09-17 09:50:39Z")
    #expect(UnixTime(-0.5).iso == "1969-12-31T23:59:59Z")
    #expect(UnixTime(.infinity).iso == "9999-12-31T23:59:59Z")
    // Microseconds carry over into the second.
    #expect(UnixTime(1.999_999_9).iso(fractionDigits: 6) == "1970-01-01T00:00:02.000000Z")
  }

  @Test func isRead() throws {
    #expect(try #require(UnixTime(iso: "2019-09-17T09:50:39.5Z")).seconds == 1_568_713_839.5)
    #expect(UnixTime(iso: "yesterday") == nil)
    // A trace's times are read and written without a loss.
    for microseconds in [0, 1, 123_456, 999_999] {
      let text = UnixTime(1_568_713_839 + Double(microseconds) / 1e6).iso(fractionDigits: 6)
      #expect(try #require(UnixTime(iso: text)).iso(fractionDigits: 6) == text)
    }
  }

  @Test func bytesAreWritten() {
    #expect(([0, 15, 16, 255] as [UInt8]).hexadecimal == "000f10ff")
    #expect([UInt8](repeating: 255, count: 20).uuid(version: 4) == "ffffffff-ffff-4fff-bfff-ffffffffffff")
  }
}
