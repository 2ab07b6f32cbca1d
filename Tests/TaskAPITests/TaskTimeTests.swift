import JSON
import TaskAPI
import Testing

@Suite struct TaskTimeTests {
  @Test(
    arguments: [
      ("2027-01-31", "2027-01-31", nil), ("20270131", "2027-01-31", nil),
      ("2027-01-31T08:00:00Z", "2027-01-31T08:00:00Z", "2027-01-31T08:00:00Z"),
      ("20270131T080000Z", "2027-01-31T08:00:00Z", "2027-01-31T08:00:00Z"),
      ("2027-01-31 23:30-01:00", "2027-02-01T00:30:00Z", "2027-02-01T00:30:00Z"),
      ("2027-01-31T09:00", "2027-01-31T09:00:00", nil),
      ("2027-07-31T09:00[Europe/Berlin]", "2027-07-31T09:00:00[Europe/Berlin]", "2027-07-31T07:00:00Z"),
      // The first of two equal clock times.
      ("2027-10-31T02:30[Europe/Berlin]", "2027-10-31T02:30:00[Europe/Berlin]", "2027-10-31T00:30:00Z"),
    ] as [(String, String, String?)])
  func reads(text: String, as form: String, utc: String?) throws {
    let time = try TaskTime(parsing: text)
    #expect(time.description == form)
    #expect(time.utc == utc)
  }

  @Test(
    arguments: [
      ("tomorrow", "'tomorrow' is no date"), ("31.01.2027", "'31.01.2027' is no date"),
      ("2027-02-29", "'2027-02-29' is not in the calendar"),
      ("2027-01-31T24:30", "'2027-01-31T24:30' has no time of the day"),
      ("2027-01-31Z", "'2027-01-31Z' has a zone and no time"),
      (
        "2027-03-28T02:30[Europe/Berlin]",
        "'2027-03-28T02:30[Europe/Berlin]' is left out by the clocks in Europe/Berlin"
      ),
    ])
  func refuses(text: String, message: String) throws {
    let error = try #require(throws: TaskFieldError.self) { try TaskTime(parsing: text) }
    #expect(error.code == "bad_time")
    #expect(error.message == message)
    #expect(error.hint != nil)
  }

  @Test func anUnknownZoneIsNamed() throws {
    let error = try #require(throws: TaskFieldError.self) { try TaskTime(parsing: "2027-01-31T09:00[Europe/Berlni]") }
    #expect(error.message.contains("Europe/Berlni"))
    #expect(error.hint?.contains("Europe/Berlin") == true)
  }

  @Test(
    arguments: [
      (["Priority": 12], "priority: expected a number from 1, the highest, to 9, got 12"),
      (
        ["recurrence": "every monday"], "recurrence: expected a rule such as FREQ=WEEKLY;BYDAY=MO, got \"every monday\""
      ),
      (["completed": "maybe"], "completed: expected true or false, got \"maybe\""),
      (["labels": [[1]]], "labels: expected a list of texts, got [[1]]"),
      (["due": "2027-01-31", "Due": "2027-02-01"], "the field due is there twice, in two spellings"),
    ] as [([String: JSON], String)])
  func wrongValuesAreNamed(fields: [String: JSON], message: String) throws {
    let error = try #require(throws: TaskFieldError.self) { try TaskDraft(text: "a", fields: fields).normalized() }
    #expect(error.message == message)
  }
}
