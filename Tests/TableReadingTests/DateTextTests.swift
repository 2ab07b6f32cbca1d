import TableReading
import Testing

/// Dates are read as people and programs of twelve languages write them.
struct DateTextTests {
  @Test(arguments: [
    ("2026-10-01", "2026-10-01"), ("2026/10/01", "2026-10-01"), ("2026.10.1", "2026-10-01"), ("20261001", "2026-10-01"),
    ("1.10.2026", "2026-10-01"), ("01.10.26", "2026-10-01"), ("1. Oktober 2026", "2026-10-01"),
    ("Do., 1. Okt. 2026", "2026-10-01"), ("1 October 2026", "2026-10-01"), ("October 1, 2026", "2026-10-01"),
    ("Oct 1st, 2026", "2026-10-01"), ("28/Feb/25", "2025-02-28"), ("28-Feb-2025", "2025-02-28"),
    ("1 de octubre de 2026", "2026-10-01"), ("1er octobre 2026", "2026-10-01"), ("1 out 2026", "2026-10-01"),
    ("1 ottobre 2026", "2026-10-01"), ("3 mrt 2026", "2026-03-03"), ("1 lokakuuta 2026", "2026-10-01"),
    ("1 października 2026", "2026-10-01"), ("1. října 2026", "2026-10-01"), ("3. marts 2026", "2026-03-03"),
    ("17 août 2026", "2026-08-17"), ("2026年10月1日", "2026-10-01"), ("46296", "2026-10-01"),
    ("46296.75", "2026-10-01T18:00:00"), ("1790841600", "2026-10-01T08:00:00Z"),
    ("1790841600000", "2026-10-01T08:00:00Z"),
    ("2026-10-01T08:00:00.000Z", "2026-10-01T08:00:00Z"), ("2026-10-01 15:30", "2026-10-01T15:30:00"),
    ("2026-05-07T08:00:00+0000", "2026-05-07T08:00:00+00:00"), ("20261001T080000Z", "2026-10-01T08:00:00Z"),
    ("September 26, 2026 5:00 PM", "2026-09-26T17:00:00"), ("28/Feb/25 12:00 AM", "2025-02-28T00:00:00"),
    ("11/May/24 03:26 PM", "2024-05-11T15:26:00"), ("1.10.2026, 15:30", "2026-10-01T15:30:00"),
    ("Thu, 01 Oct 2026 08:00:00 +0000", "2026-10-01T08:00:00+00:00"),
    ("2017-06-12 12:00:00 +0000", "2017-06-12T12:00:00+00:00"),
    ("2026-10-01 15:30 Europe/Berlin", "2026-10-01T15:30:00[Europe/Berlin]"),
    ("1.10.2026 15:30 MESZ", "2026-10-01T15:30:00+02:00"),
    ("Oct 1, 2026 5:00 PM (America/New_York)", "2026-10-01T17:00:00[America/New_York]"),
    ("2026-10-01 15:30 GMT+2", "2026-10-01T15:30:00+02:00"), ("1 Oct 2026 15:30 PST", "2026-10-01T15:30:00-08:00"),
    ("10/13/2026", "2026-10-13"), ("13/10/2026", "2026-10-13"), ("13-10-26 3:05 p.m.", "2026-10-13T15:05:00"),
  ])
  func aDateIsRead(_ text: String, _ expected: String) throws {
    let date = try #require(DateText(text), "\(text)")
    #expect(date.text(date.order ?? .dayFirst) == expected, "\(text)")
    #expect(!date.isAmbiguous)
  }

  @Test(arguments: ["3/4/2026", "03-04-26", "12/11/2026 5:00 PM"])
  func twoSmallNumbersAreAmbiguous(_ text: String) throws {
    let date = try #require(DateText(text))
    #expect(date.isAmbiguous)
    #expect(date.text(.dayFirst) != date.text(.monthFirst))
  }

  @Test(arguments: [
    "", "Milk", "tomorrow", "2026", "31.2.2026", "2026-13-01", "32/13/2026", "12", "1.2", "Room 101", "ABC-12", "1/2",
    "every Monday", "10:30", "2026-10-01 25:00", "+49 30 123456", "1.2.3", "0.5", "42 items in May", "192.168.10.1",
    "100",
    "1.10.2026 15:30 IST", "Milk and/Or Eggs", "2026-10-01 Europe/Berlin",
  ])
  func anotherTextIsNoDate(_ text: String) { #expect(DateText(text) == nil) }

  @Test func aDayAndAMonthOfTheSameNumberAreClear() throws {
    #expect(try #require(DateText("5/5/2026")).isAmbiguous == false)
  }
}

/// The order of day and month is judged by the whole column.
struct DateColumnTests {
  private func judged(_ values: String...) -> DateColumn.Judgment {
    var column = DateColumn()
    for value in values { column.add(value) }
    return column.judgment
  }

  @Test func oneNumberOverTwelveDecides() {
    #expect(judged("3/4/2026", "", "13/4/2026") == .decided(.dayFirst))
    #expect(judged("3/4/2026", "4/13/2026") == .decided(.monthFirst))
  }

  @Test func withoutSuchANumberNothingDecides() {
    #expect(judged("3/4/2026", "5/6/2026") == .undecided("3/4/2026"))
    #expect(judged("5/5/2026", "2026-10-01", "Oct 1, 2026") == .needless)
  }

  @Test func datesInBothOrdersAreMixed() {
    #expect(judged("13/4/2026", "4/14/2026") == .mixed(dayFirst: "13/4/2026", monthFirst: "4/14/2026"))
  }

  @Test func otherValuesAreCounted() {
    var column = DateColumn()
    for value in ["1.10.2026", "soon", " ", "2.10.2026"] { column.add(value) }
    #expect(column.dates == 2)
    #expect(column.others == 1)
  }
}
