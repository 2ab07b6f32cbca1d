import Files
import JSON
import TestSupport
import Testing

@testable import TaskPlans

@Suite struct OutcomeTests {
  private let folder = TemporaryFolder()

  private func receipt(columns: [String], _ rows: [(PlanOutcome, [String])]) throws -> String? {
    let folder = TemporaryFolder()
    var header = SamplePlan.header
    header.columns = columns
    let writer = try ReceiptWriter(OutputPlace(folder.path("r.csv")), header)
    for (outcome, source) in rows {
      var row = PlannedRow(row: outcome.row, action: .create, text: "Task")
      row.source = source
      try writer.add(row, outcome)
    }
    #expect(folder.read("r.csv") == nil)
    try writer.finish()
    return folder.read("r.csv")
  }

  @Test func `A receipt has the source's values and the outcome of each row`() throws {
    let text = try receipt(
      columns: ["Nr", "Text", "Due"],
      [
        (.init(row: 1, .created, task: "T1"), ["007", " Buy milk ", "1.2.2026"]),
        (
          .init(row: 2, .conflict, task: "T2", reason: "the task has been changed, since"), ["8", "a \"b\"\nc", "=1+1"]
        ),
        (.init(row: 3, .refused, reason: "no text"), ["9"]),
        (.init(row: 4, .removed, task: "T4"), []),
      ])
    #expect(
      text == """
        Nr,Text,Due,_row,_id,_outcome,_reason
        007," Buy milk ",1.2.2026,1,T1,created,
        8,"a ""b""
        c",=1+1,2,T2,conflict,"the task has been changed, since"
        9,,,3,,refused,no text
        ,,,4,T4,removed,

        """)
  }

  @Test func `Columns of the source that are called like ours keep their values`() throws {
    let text = try receipt(columns: ["_row", "_id"], [(.init(row: 1, .same, task: "T1"), ["17", "x"])])
    #expect(text == "_row,_id,_row,_id,_outcome,_reason\n17,x,1,T1,same,\n")
  }

  @Test func `Values without a column do not get into the columns of the outcome`() throws {
    let text = try receipt(columns: ["a", "b"], [(.init(row: 1, .refused), ["1", "2", "3"])])
    #expect(text == "a,b,_row,_id,_outcome,_reason\n1,\"2,3\",1,,refused,\n")
    let none = try receipt(columns: [], [(.init(row: 1, .created, task: "T"), ["1"])])
    #expect(none == "_row,_id,_outcome,_reason\n1,T,created,\n")
  }

  @Test(arguments: ["=HYPERLINK(1)", "+1", "-1+1", "@x", "\t=1"])
  func `A reason of the server is no formula`(_ reason: String) throws {
    let text = try receipt(columns: [], [(.init(row: 1, .failed, task: reason, reason: reason), [])])
    #expect(text?.hasSuffix("\n1,'\(reason),failed,'\(reason)\n") == true)
  }

  @Test func `An ID that begins with a hyphen stays as it is`() throws {
    let text = try receipt(columns: [], [(.init(row: 1, .created, task: "-a_1"), [])])
    #expect(text?.hasSuffix("\n1,-a_1,created,\n") == true)
  }

  @Test func `The report has a row a line, and the counts`() throws {
    let path = folder.path("j.json")
    let writer = try OutcomeReportWriter(OutputPlace(path), id: "3f9a")
    try writer.add(.init(row: 1, .reversed, task: "T1"))
    try writer.add(.init(row: 2, .kept, task: "T2", reason: SamplePlan.hostile))
    try writer.add(.init(row: 3, .failed))
    try writer.finish()
    let text = try #require(folder.read("j.json"))
    #expect(
      text.hasPrefix(
        "{\"id\": \"3f9a\",\n\"rows\": [\n{\"row\":1,\"task\":\"T1\",\"outcome\":\"reversed\",\"reason\":null},\n"))
    #expect(
      try JSON(parsing: text) == [
        "id": "3f9a",
        "rows": [
          ["row": 1, "task": "T1", "outcome": "reversed", "reason": .null],
          ["row": 2, "task": "T2", "outcome": "kept", "reason": .string(SamplePlan.hostile)],
          ["row": 3, "task": .null, "outcome": "failed", "reason": .null],
        ], "counts": ["reversed": 1, "kept": 1, "failed": 1],
      ])
  }

  @Test func `A report without rows is JSON`() throws {
    let writer = try OutcomeReportWriter(OutputPlace(folder.path("j.json")), id: "x")
    try writer.finish()
    #expect(try JSON(parsing: try #require(folder.read("j.json"))) == ["id": "x", "rows": [], "counts": [:]])
  }

  @Test func `A full disk is an error, and leaves nothing`() throws {
    let receipt = try ReceiptWriter(OutputPlace("/dev/full"), SamplePlan.header)
    #expect(throws: FileError.self) { try receipt.finish() }
    let report = try OutcomeReportWriter(OutputPlace("/dev/full"), id: "x")
    #expect(throws: FileError.self) { try report.finish() }
  }
}
