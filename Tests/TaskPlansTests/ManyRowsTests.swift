import Files
import Glibc
import JSON
import TaskAPI
import TestSupport
import Testing

@testable import TaskPlans

@Suite(.serialized) struct ManyRowsTests {
  private static let count = 100_000

  /// The memory of this process that no file backs, in bytes.
  private func memory() throws -> Int {
    let text = String(decoding: try FileSystem.contents(of: "/proc/self/status"), as: UTF8.self)
    let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("RssAnon:") })
    return 1024 * (try #require(Int(line.split(whereSeparator: \.isWhitespace)[1])))
  }

  @Test func `Many rows stream through the file, the table and the receipt`() throws {
    let folder = TemporaryFolder()
    let path = folder.path("p.json")
    var row = PlannedRow(row: 1, line: 2, action: .create, text: "Buy milk")
    row.changes = ["text": .init(old: .null, new: "Buy milk"), "due": .init(old: .null, new: "2026-12-24")]
    row.source = ["1", "Buy milk"]
    let before = try memory()
    let writer = try PlanWriter(OutputPlace(path), SamplePlan.header)
    for number in 1...Self.count {
      row.row = number
      try writer.add(row)
    }
    let digest = try writer.finish()
    let reader = try SamplePlan.reader(path)
    #expect(reader.digest == digest)
    #expect(reader.counts == [.create: Self.count])
    let receipt = try ReceiptWriter(OutputPlace(folder.path("r.csv")), reader.header)
    var table = PlanTable(reader.header)
    var last = 0
    while let row = try reader.next() {
      last = row.row
      table.add(row)
      try receipt.add(row, PlanOutcome(row: row.row, .created, task: "T\(row.row)"))
    }
    try receipt.finish()
    #expect(last == Self.count)
    #expect(
      table.text(width: 80, file: "p.json").hasSuffix(
        "and 99,960 more: p.json has all rows, --report plan.html shows them\n"))
    // Other tests run meanwhile. All rows in memory would take several times as much.
    #expect(try memory() - before < 48 << 20)
  }

  @Test func `A page of many rows has the first ones, and names the file with all`() throws {
    let folder = TemporaryFolder()
    let rows = (1...(PlanPage.mostRows + 5)).map { number in
      PlannedRow(row: number, action: number > PlanPage.mostRows ? .conflict : .create, text: "Task \(number)")
    }
    _ = try SamplePlan.write(rows, to: folder.path("p.json"))
    let reader = try SamplePlan.reader(folder.path("p.json"))
    try PlanPage.write(reader, to: OutputPlace(folder.path("plan.html")), file: "p.json")
    let text = try #require(folder.read("plan.html"))
    #expect(text.contains("<td>Task \(PlanPage.mostRows + 5)</td>"))
    #expect(text.contains("<td>Task \(PlanPage.mostRows - 5)</td>"))
    #expect(!text.contains("<td>Task \(PlanPage.mostRows - 4)</td>"))
    #expect(text.contains("<p class=\"rest\">And 5 more rows: p.json has all.</p>"))
  }
}
