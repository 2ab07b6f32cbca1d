import TestSupport
import Testing

@testable import ImportFormats

/// Rows of a CSV that are broken fail alone, by their lines, and no row is made up.
struct BrokenRowTests {
  /// The rows of a file, and the lines that fail, with the codes and the reasons.
  private func read(_ text: String, name: String = "tasks.csv") throws -> [String] {
    let file = TemporaryFile(text, name: name)
    let reader = try RecordReaders.open(path: file.path)
    var found: [String] = []
    while let record = try reader.next() {
      switch record.content {
      case .row(let row): found.append("\(record.line ?? 0): \(row.fields.joined(separator: "|"))")
      case .malformed(let code, let reason, let fields):
        found.append("\(record.line ?? 0)! \(code): \(reason): \(fields.joined(separator: "|"))")
      default: found.append("?")
      }
    }
    return found
  }

  private static let rule = "a quote inside a quoted field is written twice"
  private static let stray =
    "has a single quote mark in it, so that a separator or a quote may be missing: put the field in quotes, and write a "
    + "quote inside it twice"

  @Test func aQuoteThatNeverClosesBreaksItsLineOnly() throws {
    #expect(
      try read("Text,Due,List\nMilk,1,Home\nEggs,\"2,Home\nBread,3,Work\n") == [
        "2: Milk|1|Home",
        "3! unclosed_quote: the quote that opens a field here is never closed: \(Self.rule): Eggs,\"2,Home",
        "4: Bread|3|Work",
      ])
  }

  @Test func textBehindAClosingQuoteBreaksItsLineOnly() throws {
    #expect(
      try read("Text,Due\n\"Read \"Emma\" today\",1\nBread,2\n") == [
        "2! misplaced_quote: field 1 continues after its closing quote: \(Self.rule): \"Read \"Emma\" today\",1",
        "3: Bread|2",
      ])
    // The next quote closes the field of another row.
    #expect(
      try read("Text,Due,List\n\"Milk,1,Home\nBread,2,\"at work\"\nEggs,3,Home\n") == [
        "2! misplaced_quote: the quote that opens field 1 is closed in line 3, where the field continues: "
          + "\(Self.rule): \"Milk,1,Home", "3: Bread|2|at work", "4: Eggs|3|Home",
      ])
  }

  @Test func aQuoteThatTakesInRowsBreaksItsLineOnly() throws {
    #expect(
      try read("Text,Due,List\nMilk,\"1,Home\nBread,2,Work\nRice,x\",Home\n5\" nails,4,Home\n") == [
        "2! misplaced_quote: a quote in this line takes in the next lines, which look like rows: \(Self.rule): "
          + "Milk,\"1,Home", "3: Bread|2|Work",
        "4! misplaced_quote: field 2 \(Self.stray): Rice|x\"|Home", "5: 5\" nails|4|Home",
      ])
  }

  @Test func aTextOfSeveralLinesStaysOne() throws {
    let text = "Text,Notes,List\nMilk,\"two litres, fresh\nand cold, if they have it\nelse none\",Home\nBread,,Work\n"
    #expect(
      try read(text) == ["2: Milk|two litres, fresh\nand cold, if they have it\nelse none|Home", "5: Bread||Work"])
    #expect(try read("Text\n\"a\nb\nc\"\nd\n") == ["2: a\nb\nc", "5: d"])
  }

  @Test func theLinesOfABrokenTextAreToldOf() throws {
    #expect(
      try read("Text,List\n\"first\nsecond,Home\nBread,Work\n") == [
        "2! unclosed_quote: the quote that opens a field here is never closed: \(Self.rule): \"first",
        "3! misplaced_quote: this line may be the end of the broken row above it: second,Home", "4: Bread|Work",
      ])
  }

  @Test func aMissingSeparatorBeforeAQuotedFieldIsToldOf() throws {
    #expect(
      try read("Text,Notes,List\nMilk\"fresh, cold\",\nBread,,Work\n") == [
        "2! misplaced_quote: field 1 \(Self.stray): Milk\"fresh| cold\"|", "3: Bread||Work",
      ])
    #expect(
      try read("Text,Notes\n5\" pipe,2 x 3\" long\nsay \"hi\",\nצה\"ל,\n") == [
        "2: 5\" pipe|2 x 3\" long", "3: say \"hi\"|", "4: צה\"ל|",
      ])
  }

  @Test func blanksAroundAQuotedFieldAreNoText() throws {
    #expect(try read("Text,Due\nMilk, \"1, 2\" \n\"Bread\" ,3\n") == ["2: Milk|1, 2", "3: Bread|3"])
  }

  @Test func theDialectIsFound() throws {
    #expect(try read("'Text','Due'\n'Milk, fresh','1'\n'Ann''s','2'\n") == ["2: Milk, fresh|1", "3: Ann's|2"])
    #expect(
      try read("Text,Due\n\"Read \\\"Emma\\\", today\",1\n\"see C:\\\\\",2\n\"say \\\"hi\\\", now\",3\n") == [
        "2: Read \"Emma\", today|1", "3: see C:\\|2", "4: say \"hi\", now|3",
      ])
    #expect(try read("Text||Due\nMilk||1\n||2\n") == ["2: Milk|1", "3: |2"])
    #expect(try read("Text, Due\nMilk, 1\nBread, \"2, 3\"\n") == ["2: Milk|1", "3: Bread|2, 3"])
  }

  @Test func aQuoteInTheHeaderIsNoPartOfAName() throws {
    let file = TemporaryFile("\"Text,Due\nMilk,1\n", name: "tasks.csv")
    let reader = try RecordReaders.open(path: file.path)
    #expect(reader.columns == ["Text", "Due"])
    #expect(try reader.next()?.line == 2)
  }

  @Test func anOpenQuoteOfManyMegabytesFailsAlone() throws {
    let file = TemporaryFile(
      "Text,Due\nMilk,\n\"" + String(repeating: String(repeating: "long ", count: 20) + "\n", count: 170_000),
      name: "tasks.csv")
    let reader = try RecordReaders.open(path: file.path)
    #expect(try reader.next()?.line == 2)
    guard case .malformed("unclosed_quote", let reason, _)? = try reader.next()?.content else {
      Issue.record("not malformed")
      return
    }
    #expect(
      reason
        == "the quote that opens a field in line 3 is never closed: the lines up to 170003, the last one, are not read")
    #expect(try reader.next() == nil)
  }

  /// A list of so many rows, with one row instead of another.
  private func list(_ count: Int, _ row: String, at index: Int) -> String {
    let rows = (0..<count).map {
      $0 == index ? row : "Buy \($0),2026-10-\(10 + $0 % 20),\($0 % 3 == 0 ? "Home" : "Work"),\($0 % 5)"
    }
    return "Text,Due,List,Priority\n" + rows.joined(separator: "\n") + "\n"
  }

  @Test(arguments: [0, 12, 39, 250]) func valuesBesideTheirColumnsAreToldOf(index: Int) throws {
    let found = try read(list(max(40, index + 2), "Milk, fresh,2026-10-01,Home", at: index))
    #expect(
      found[index]
        == "\(index + 2)! shifted_row: Due holds \" fresh\", where the other rows hold dates, and List holds "
        + "\"2026-10-01\", where the other rows hold one of 2 words, and Priority holds \"Home\", where the other rows "
        + "hold numbers: the values seem to stand one column too far to the right: Milk| fresh|2026-10-01|Home")
    #expect(found.count { $0.contains("!") } == 1)
  }

  @Test(arguments: [
    "Milk,tbd,Home,none", "Milk,,,", "Milk,soon,Garden,2", "2026-10-01,2026-10-02,Home,1", "Milk,n/a,n/a,n/a",
  ])
  func unusualValuesAreNoShift(row: String) throws {
    #expect(try read(list(60, row, at: 30)).allSatisfy { !$0.contains("!") })
  }

  @Test func aShortListHasNoHabits() throws {
    #expect(try read(list(10, "Milk, fresh,2026-10-01,Home", at: 5)).allSatisfy { !$0.contains("!") })
  }
}
