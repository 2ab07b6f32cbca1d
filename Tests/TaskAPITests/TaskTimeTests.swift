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
      // The offset decides, and stays where the clocks alone would not tell (RFC 9557, 3.4).
      ("2027-10-31T02:30+02:00[Europe/Berlin]", "2027-10-31T02:30:00[Europe/Berlin]", "2027-10-31T00:30:00Z"),
      ("2027-10-31T02:30+01:00[Europe/Berlin]", "2027-10-31T02:30:00+01:00[Europe/Berlin]", "2027-10-31T01:30:00Z"),
      ("2026-06-01T12:00+02:00[Europe/Berlin]", "2026-06-01T12:00:00[Europe/Berlin]", "2026-06-01T10:00:00Z"),
      ("2026-06-01T12:00Z[Europe/Berlin]", "2026-06-01T14:00:00[Europe/Berlin]", "2026-06-01T12:00:00Z"),
      ("2026-06-01T12:00-00:00[!Europe/Berlin]", "2026-06-01T14:00:00[Europe/Berlin]", "2026-06-01T12:00:00Z"),
      ("2026-06-01T12:00[Europe/Berlin][u-ca=hebrew]", "2026-06-01T12:00:00[Europe/Berlin]", "2026-06-01T10:00:00Z"),
      ("2026-06-01T12:00[+03:00]", "2026-06-01T09:00:00Z", "2026-06-01T09:00:00Z"),
      ("2026-06-01 12:00:00.250+01", "2026-06-01T11:00:00Z", "2026-06-01T11:00:00Z"),
      ("2016-12-31T23:59:60z", "2016-12-31T23:59:59Z", "2016-12-31T23:59:59Z"),
      ("1890-01-01T12:00+00:53[Europe/Berlin]", "1890-01-01T12:00:28[Europe/Berlin]", "1890-01-01T11:07:00Z"),
    ] as [(String, String, String?)])
  func reads(text: String, as form: String, utc: String?) throws {
    let time = try TaskTime(parsing: text)
    #expect(time.description == form)
    #expect(time.utc == utc)
  }

  @Test(
    arguments: [
      ("tomorrow", "'tomorrow' is not a date"), ("31.01.2027", "'31.01.2027' is not a date"),
      ("2027-02-29", "'2027-02-29' is not in the calendar"),
      ("2027-01-31T24:30", "'2027-01-31T24:30' has no time of the day"),
      ("2027-01-31Z", "'2027-01-31Z' has a zone and no time"),
      ("2027-01-31T08:75", "'2027-01-31T08:75' has no time of the day"),
      ("2027-01-31T08:00+25:00", "'2027-01-31T08:00+25:00' has no offset of a time zone"),
      (
        "2026-06-01T12:00:00+01:00[Europe/Berlin]",
        "'2026-06-01T12:00:00+01:00[Europe/Berlin]' has the offset +01:00, but Europe/Berlin has the offset +02:00 then"
      ),
      (
        "2026-06-01T12:00+00:00[Europe/London]",
        "'2026-06-01T12:00+00:00[Europe/London]' has the offset +00:00, but Europe/London has the offset +01:00 then"
      ),
      (
        "2026-06-01T12:00+02:00[+03:00]",
        "'2026-06-01T12:00+02:00[+03:00]' has the offset +02:00, but +03:00 has the offset +03:00 then"
      ),
      (
        "2026-06-01T12:00[Europe/Berlin][!u-ca=hebrew]",
        "'2026-06-01T12:00[Europe/Berlin][!u-ca=hebrew]' has the critical tag [!u-ca=hebrew], which is not understood"
      ),
      (
        "2026-06-01T12:00[Europe/Berlin][Europe/Paris]", "'2026-06-01T12:00[Europe/Berlin][Europe/Paris]' is not a date"
      ),
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

  @Test("an instant moves to the second of two equal times, and back")
  func movesToTheSecondTime() throws {
    let second = try TaskTime(parsing: "2027-10-31T01:30:00Z").moved(to: "Europe/Berlin")
    #expect(second.description == "2027-10-31T02:30:00+01:00[Europe/Berlin]")
    #expect(try TaskTime(parsing: second.description) == second)
    #expect(try second.moved(to: "Europe/London").description == "2027-10-31T01:30:00+00:00[Europe/London]")
  }

  @Test("a task with the time of its completion is done, unless it says otherwise")
  func completion() throws {
    func isCompleted(_ fields: [String: JSON]) throws -> JSON? {
      try TaskDraft(text: "a", fields: fields).normalized().fields["completed"]
    }
    #expect(try isCompleted(["CompletedAt": "2026-01-09"]) == true)
    #expect(try isCompleted(["completed_at": "2026-01-09", "completed": false]) == false)
    #expect(try isCompleted(["completed_at": ""]) == nil)
    #expect(try isCompleted(["completed_at": "0001-01-01T00:00:00Z"]) == nil)
    #expect(try TaskDraft.change(["completed_at": "2026-01-09"])["completed"] == true)
    #expect(try TaskDraft.change(["completed_at": false]) == ["completed_at": .null])
    #expect(APITask(["id": 1, "text": "a", "completed_at": "2026-01-09"])?.completed == true)
    #expect(APITask(["id": 1, "text": "a", "completed": false, "completed_at": "2026-01-09"])?.completed == false)
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
