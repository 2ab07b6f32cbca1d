import Core
import JSON
import TaskAPI
import Testing

@testable import TaskPlans

@Suite struct PlanTableTests {
  private func table(_ rows: [PlannedRow], _ header: PlanHeader = SamplePlan.header, most: Int = 40) -> PlanTable {
    var table = PlanTable(header, most: most)
    for row in rows { table.add(row) }
    return table
  }

  private func row(_ number: Int, _ action: PlannedRow.Action, _ text: String, _ reason: String? = nil) -> PlannedRow {
    let task = TaskReference(id: "T\(number)", entityTag: "fields:aabbcc")
    var row = PlannedRow(row: number, line: number + 1, action: action, text: text, task: task)
    row.reason = reason
    return row
  }

  @Test func `The counts and the notes come first, then the rows that need a look`() {
    var changed = row(2, .change, "Call Bob")
    changed.changes = [
      "priority": .init(old: 5, new: 1), "due": .init(old: .null, new: "2026-12-24"),
      "X-Color": .init(old: "red", new: .null), "completed": .init(old: false, new: true),
    ]
    var created = row(1, .create, "Buy milk")
    created.changes = [
      "text": .init(old: .null, new: "Buy milk"), "labels": .init(old: .null, new: ["home", "shop"]),
      "due": .init(old: .null, new: "2026-12-01"),
    ]
    created.parentRow = 2
    var removed = row(7, .remove, "Old task")
    removed.line = nil
    let rows = [
      created, changed, row(3, .same, "Same"), row(4, .conflict, "Pay rent", "lines 5 and 9 have the key 17"),
      row(5, .refused, "", "the text is empty"), row(6, .kept, "Kept", "its due date is another one"), removed,
    ]
    #expect(
      table(rows).text(width: 80, file: "p.json") == """
        1 to create, 1 to change, 1 to remove, 1 the same, 1 conflict, 1 refused, 1 kept
        note: The service does not keep labels.

        action    line  text      what
        conflict     5  Pay rent  lines 5 and 9 have the key 17
        refused      6            the text is empty
        kept         7  Kept      its due date is another one
        remove          Old task
        change       3  Call Bob  completed: no → yes
                                  due: none → 2026-12-24
                                  priority: 5 → 1
                                  X-Color: red → none
        create       2  Buy milk  due 2026-12-01, labels home, shop, parent row 2

        """)
  }

  @Test func `A person who decides sees the whole texts, or how much of them is missing`() {
    var created = row(1, .create, "Milk " + String(repeating: "x ", count: 700) + "SECRETLY")
    created.changes = ["notes": .init(old: .null, new: .string(String(repeating: "z", count: 60_000) + "END"))]
    let text = table([created, row(2, .create, "Bread")]).decisionText(file: "p.json")
    #expect(text.contains("create, line 2, whole:\n  text: Milk x") && text.contains("SECRETLY\n  notes: zzz"))
    #expect(text.contains("z [50,003 more characters are not shown; decline if you need them]"))
    #expect(!text.contains("line 3, whole"))
  }

  @Test func `Rows beyond the limit are counted, and removals are named`() {
    let rows =
      (1...50).map { row($0, .create, "New \($0)") } + (51...130).map { row($0, .remove, "Old \($0)") }
      + (131...140).map { row($0, .same, "Same") } + (141...143).map { row($0, .conflict, "Two", "two tasks") }
    let text = table(rows, most: 10).text(width: 80, file: "p.json")
    #expect(text.hasPrefix("50 to create, 80 to remove, 10 the same, 3 conflicts\n"))
    #expect(text.hasSuffix("and 43 more: p.json has all rows, --report plan.html shows them\n"))
    for number in 51...130 { #expect(text.contains("  Old \(number)\n")) }
    #expect(text.contains("  New 7\n"))
    #expect(!text.contains("  New 8\n"))
    #expect(!text.contains("Same"))
    let many = table((1...300).map { row($0, .remove, "Old \($0)") }, most: 10).text(width: 80, file: nil)
    #expect(many.contains("  Old 200\n"))
    #expect(many.hasSuffix("\nand 100 more: --report plan.html shows them\n"))
  }

  @Test func `A plan with nothing to do is one line`() {
    var header = SamplePlan.header
    header.notes = []
    #expect(table([], header).text(width: 80, file: nil) == "nothing to do: the plan has no rows\n")
    let same = (1...1200).map { row($0, .same, "x") }
    #expect(table(same, header).text(width: 80, file: nil) == "1,200 the same\n")
  }

  @Test func `A source without lines has the numbers of rows`() {
    var one = row(12, .conflict, "Two", "two tasks")
    one.line = nil
    var header = SamplePlan.header
    header.notes = []
    #expect(
      table([one], header).text(width: 60, file: nil) == """
        1 conflict

        action    row  text  what
        conflict   12  Two   two tasks

        """)
  }

  @Test(arguments: [40, 60, 80, 200])
  func `Nothing is wider than the terminal, and no control character of the data reaches it`(_ width: Int) {
    let long = SamplePlan.hostile + String(repeating: "日本語 ", count: 60)
    let endless = String(repeating: "x", count: 5000)
    let rows = PlannedRow.Action.allCases.enumerated().map { index, action in
      var row = row(index + 1, action, index % 2 == 0 ? long : endless, index % 2 == 0 ? endless : long)
      row.changes = [
        "notes": .init(old: .string(long), new: .string(endless)),
        SamplePlan.hostile: .init(old: .string(endless), new: 1),
        endless: .init(old: 1, new: .string(long)),
      ]
      return row
    }
    var header = SamplePlan.header
    header.notes = [long, endless]
    let text = table(rows, header).text(width: width, file: "p.json")
    let lines = text.split(separator: "\n")
    for line in lines.dropFirst() { #expect(line.displayWidth <= width, "\(line)") }
    #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || $0.value >= 0x20 && $0.value != 0x7F && $0 != "\u{202E}" })
    #expect(lines.count < 80)
  }

  @Test func `Neither the version nor the ID of a task is shown`() {
    let rows = PlannedRow.Action.allCases.enumerated().map { row($0 + 1, $1, "Task") }
    let text = table(rows).text(width: 200, file: nil)
    #expect(!text.contains("fields:"))
  }

  @Test func `Each row is painted by its action`() {
    let text = table([row(1, .remove, "Old")]).text(width: 80, file: nil) { "<\($1)>\($0)</>" }
    #expect(text.contains("<1>1 to remove</>\n"))
    #expect(text.contains("<31>remove       2  Old</>\n"))
  }

  @Test func `Long values that begin alike are told apart`() {
    let common = String(repeating: "The same beginning. ", count: 10)
    let pair = FittedText.pair(common + "Monday", common + "Friday", width: 41)
    #expect(pair.displayWidth <= 41)
    #expect(pair.contains("Monday → "))
    #expect(pair.hasSuffix("Friday"))
    #expect(
      FittedText.pair("2026-12-01", String(repeating: "y", count: 50), width: 33)
        == "2026-12-01 → \(String(repeating: "y", count: 19))…")
    #expect(FittedText.pair("a", "b", width: 5) == "a → b")
  }
}
