import HostLoop
import JSON
import TaskAPI
import TestSupport
import Testing

@testable import ImportFormats

/// Values are judged by their column; the meanings that the caller gives come first.
@HostActor
struct ValueTests {
  private func source(
    _ text: String, name: String = "a.csv", values: String? = nil, map: String? = nil, isAsIs: Bool = false
  ) async throws -> FileRowSource {
    let file = TemporaryFile(text, name: name)
    return try FileRowSource(
      RecordReaders.read(SourceFile(path: file.path)), mapping: map.map { try RowMapping(parsing: $0) },
      values: values.map { try ValueMap(parsing: $0) } ?? ValueMap(), isAsIs: isAsIs, countsLeftOut: true)
  }

  /// The field of each row, or why it is none.
  private func rows(_ source: FileRowSource, _ field: String) async throws -> [String] {
    var found: [String] = []
    while let record = try await source.next() {
      switch try await source.draft(of: record) {
      case .task(let draft): found.append(draft.fields[field]?.plainText ?? "-")
      case .unusable(_, let reason, _): found.append(reason)
      case .skipped: found.append("skipped")
      }
    }
    return found
  }

  @Test func anUnknownWordIsADoubtWithItsLineAndTheOption() async throws {
    let source = try await source("Text,Prio,Done\nMilk,high,yes\nBread,dringlichst,nö\nTea,dringlichst,nö\n")
    #expect(
      source.doubts.map(\.finding) == [
        "\"Done\" has \"nö\" (line 3), which says neither done nor open",
        "\"Prio\" has \"dringlichst\" (line 3), which is not a known priority",
      ])
    #expect(
      source.doubts.flatMap(\.remedies) == [
        "--values completed:nö=false (values = { completed = { … } } in a script) says what each word means: true is done, false is open",
        "--values priority:dringlichst=NUMBER (values = { priority = { … } } in a script) says what each word means: from 1, the highest, to 9, "
          + "and 0 for none",
      ])
  }

  /// It is the fault of its row.
  @Test func anUnknownWordThatOccursOnceIsNoDoubt() async throws {
    let source = try await source("Text,Done\nMilk,yes\nBread,perhaps\nTea,no\n")
    #expect(source.doubts == [])
    #expect(try await rows(source, "completed").contains { $0.hasPrefix("\"Done\" is \"perhaps\"") })
  }

  @Test func aMeaningDecides() async throws {
    let source = try await source(
      "Text,Prio,Done\nMilk,Dringlichst,nö\nBread,\"irgendwann, mal\",jo\n",
      values: "priority:\"dringlichst=1,\"\"irgendwann, mal\"\"=9\",completed:jo=true,nö=false")
    #expect(source.doubts == [])
    #expect(try await rows(source, "priority") == ["1", "9"])
  }

  @Test func meaningsOfOtherFieldsAreTexts() async throws {
    let source = try await source(
      "Text,Where\nMilk,Zuhause\n", values: "list:zuhause=home", map: "text=Text,list=Where")
    #expect(try await rows(source, "list") == ["home"])
  }

  @Test(arguments: [
    ("hoch=1", "the values \"hoch=1\" does not say which field \"hoch\" belongs to"),
    ("priority:hoch", "the values \"priority:hoch\" has no '=' behind \"hoch\""),
    (
      "priority:hoch=11",
      "\"hoch\" of priority cannot mean \"11\": expected a number from 1, the highest, to 9, or 0 for none"
    ),
    ("completed:jo=perhaps", "\"jo\" of completed cannot mean \"perhaps\": expected true or false"),
    ("priority:\"hoch=1", "the values \"priority:\"hoch=1\" has a quote that is never closed"),
  ])
  func aMeaningThatMakesNoSenseIsAnError(_ text: String, _ message: String) {
    let error = #expect(throws: ImportError.self) { try ValueMap(parsing: text) }
    #expect(error?.message == message)
    #expect(error?.hint == "write FIELD:WORD=VALUE, as in priority:hoch=1,mittel=5")
  }

  @Test func oneUnknownWordAmongManyKnownOnesFailsItsRow() async throws {
    let known = String(repeating: "Milk,high\n", count: 30)
    let source = try await source("Text,Prio\n\(known)Tea,hihg\n")
    #expect(source.doubts == [])
    #expect(
      try await rows(source, "priority").last
        == "\"Prio\": priority: expected a number from 1, the highest, to 9, got \"hihg\"; --values priority:hihg=NUMBER says what it means"
    )
  }

  @Test func wordsBesideNumbersTurnTheScale() async throws {
    let source = try await source("Text,Prio\nMilk,1 - low\nBread,2\nTea,3 - high\nRice,3\n")
    #expect(source.summary == "text from column \"Text\", priority from \"Prio\"; in \"Prio\", 1 is the lowest")
    #expect(try await rows(source, "priority") == ["9", "5", "1", "1"])
  }

  @Test func aScaleThatNothingDecidesIsADoubt() async throws {
    let source = try await source("Text,Prio\nMilk,0\nBread,3\nTea,1\n")
    #expect(
      source.doubts.map(\.finding) == [
        "there are numbers from 0 to 3 in \"Prio\", and 1 may be the highest or the lowest"
      ])
    #expect(
      source.doubts.flatMap(\.remedies) == [
        "--values priority:1=1,3=3 if 1 is the highest", "--values priority:1=9,3=1 if 1 is the lowest",
      ])
    let said = try await self.source("Text,Prio\nMilk,0\nBread,3\nTea,1\n", values: "priority:1=9,3=1")
    #expect(said.doubts == [])
    #expect(try await rows(said, "priority") == ["-", "1", "9"])
  }

  @Test func lostDigitsAreTold() async throws {
    let text = "Text,Link\nMilk,1.2E+15\n"
    let source = try await source(text)
    #expect(
      source.doubts.map(\.finding) == [
        "\"Link\" has 1.2E+15 (line 2), a number whose last digits a spreadsheet has left out"
      ])
    #expect(
      source.doubts.flatMap(\.remedies) == ["format the column as text in the spreadsheet, and export it again"])
    #expect(
      try await rows(source, "url") == [
        "\"Link\" is 1.2E+15: a spreadsheet has left out digits; format the column as text there and export it again"
      ])
    #expect(try await rows(try await self.source(text, isAsIs: true), "url") == ["1.2E+15"])
  }

  @Test func aRangeIsAStartAndAnEnd() async throws {
    let text = "Text,Due\nMilk,\"October 1, 2026 → October 3, 2026\"\nBread,2026-10-05\n"
    #expect(try await rows(try await source(text), "due") == ["2026-10-03", "2026-10-05"])
    #expect(try await rows(try await source(text), "start") == ["2026-10-01", "-"])
    let numbers = try await source("Text,Due\nMilk,2/10/2026 → 13/10/2026\n")
    #expect(numbers.doubts == [])
    #expect(try await rows(numbers, "start") == ["2026-10-02"])
  }

  @Test(arguments: ["2026", "7", "100", "1.5"])
  func aPlainNumberIsNoDate(_ text: String) async throws {
    let found = try await rows(try await source("Text,Due\nMilk,\(text)\n"), "due")
    #expect(found.first?.hasPrefix("\"Due\": due: '\(text)' ") == true, "\(found)")
  }

  @Test func zonesAndOffsetsBehindTimesCount() async throws {
    let source = try await source(
      "Text,Due\na,2026-10-01 09:00 Europe/Berlin\nb,2026-10-01 09:00 CEST\nc,2026-10-01T09:00:00+02:00\n")
    #expect(
      try await rows(source, "due") == [
        "2026-10-01T09:00:00[Europe/Berlin]", "2026-10-01T07:00:00Z", "2026-10-01T07:00:00Z",
      ])
  }

  @Test func columnsThatStateOneFactAreReadTogether() async throws {
    let source = try await source(
      "Text,Status,Completed At\na,done,2026-10-01\nb,open,\nc,,2026-10-02\nd,open,2026-10-03\n")
    #expect(
      try await rows(source, "completed") == [
        "true", "-", "true",
        "\"Status\" is \"open\" and \"Completed At\" is \"2026-10-03\", so that nobody knows whether the task is done; --map "
          + "'text=Text,completed=Status,completed_at=Completed At' decides by the first",
      ])
    let given = try await self.source(
      "Text,Status,Completed At\nd,open,2026-10-03\n", map: "text=Text,completed=Status,completed_at=Completed At")
    #expect(try await rows(given, "completed") == ["-"])
  }

  @Test func severalColumnsOfCompletionMustAgree() throws {
    let file = TemporaryFile("Text,Status,Share\na,done,1\nb,open,0.5\nc,,1\nd,open,1\ne,,\n", name: "a.csv")
    let reader = try PreviewedReader(RecordReaders.open(path: file.path))
    let mapper = RowMapper(
      SourceShape(reader, beginning: reader.beginning), text: "Text", completions: ["Status", "% complete"], fields: [])
    #expect(mapper.fieldNames == ["text", "completed"])
    let share = RowMapper(
      SourceShape(reader, beginning: reader.beginning), text: "Text", completions: ["Status", "Share"], fields: [])
    let drafts = reader.beginning.map { share.draft(of: $0) }
    #expect(drafts[0] == .task(TaskDraft(text: "a", fields: ["completed": true])))
    #expect(drafts[2] == .task(TaskDraft(text: "c", fields: ["completed": true])))
    guard case .unusable(_, let reason, _) = drafts[3] else {
      Issue.record("row 4 is \(drafts[3])")
      return
    }
    #expect(
      reason == "\"Status\" is \"open\" and \"Share\" is \"1\", so that nobody knows whether the task is done; --map "
        + "text=Text,completed=Status decides by the first")
  }

  @Test func theValuesOfColumnsLeftOutAreCounted() async throws {
    let source = try await source("Text,Owner,Empty\na,Ann,\nb,,\nc,Bob,\n")
    _ = try await rows(source, "due")
    #expect(source.leftOut?.shownWithCounts == "\"Owner\" (2 values)")
  }
}
