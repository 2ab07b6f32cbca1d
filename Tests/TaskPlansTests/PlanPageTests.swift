import Core
import Files
import JSON
import TaskAPI
import TestSupport
import Testing

@testable import TaskPlans

@Suite struct PlanPageTests {
  private let folder = TemporaryFolder()

  private func page(_ rows: [PlannedRow], _ header: PlanHeader = SamplePlan.header) throws -> String {
    _ = try SamplePlan.write(rows, header, to: folder.path("p.json"))
    let reader = try SamplePlan.reader(folder.path("p.json"))
    try PlanPage.write(reader, to: OutputPlace(folder.path("plan.html")), file: "p.json")
    return try #require(folder.read("plan.html"))
  }

  @Test func `The page has a part for each action, the doubtful ones first`() throws {
    let text = try page(SamplePlan.rows)
    let parts = PlanWords.order.map { "<details class=\"card\" id=\"\($0.rawValue)\" data-count=\"1\"" }
    let places = parts.map { text.firstRange(of: $0)?.lowerBound }
    #expect(!places.contains(nil))
    #expect(places.compactMap(\.self) == places.compactMap(\.self).sorted())
    #expect(text.contains("<summary class=\"warn\"><h2>1 conflict</h2>"))
    #expect(
      text.contains("<p><b>due</b> <span class=\"old\">2026-12-01</span> → <span class=\"new\">2026-12-24</span></p>"))
    #expect(text.contains("<p><b>priority</b> 3</p><p><b>parent</b> row 2</p>"))
    #expect(text.contains("<h1>list.csv → Ann</h1>"))
    #expect(text.contains("<p class=\"note\">The service does not keep labels.</p>"))
    #expect(text.contains("by the key <b>Nr</b>"))
  }

  @Test func `Hostile texts are text`() throws {
    var header = SamplePlan.header
    (header.source, header.accountName, header.api) = (SamplePlan.hostile, SamplePlan.hostile, SamplePlan.hostile)
    (header.notes, header.keyColumn) = ([SamplePlan.hostile], SamplePlan.hostile)
    let rows = PlannedRow.Action.allCases.enumerated().map { index, action in
      let task = TaskReference(id: "ID-of-task", entityTag: "fields:0123")
      var row = PlannedRow(row: index + 1, action: action, text: SamplePlan.hostile, task: task)
      row.changes = [SamplePlan.hostile: .init(old: .string(SamplePlan.hostile), new: [.string(SamplePlan.hostile)])]
      (row.reason, row.key) = (SamplePlan.hostile, SamplePlan.hostile)
      return row
    }
    let text = try page(rows, header)
    #expect(text.ranges(of: "</script>").count == 1)
    #expect(!text.contains("<b>\""))
    #expect(!text.contains("\u{1B}"))
    #expect(!text.contains("\u{202E}"))
    #expect(!text.contains("fields:"))
    #expect(!text.contains("ID-of-task"))
    #expect(text.contains("default-src 'none'"))
    #expect(!text.contains("http-equiv=\"refresh\""))
  }

  @Test func `Long values are cut, and still differ`() throws {
    let long = String(repeating: "x", count: 1 << 16)
    var row = PlannedRow(row: 1, action: .change, text: long, task: TaskReference(id: "T"))
    for field in 1...40 { row.changes["f\(field)"] = .init(old: .string(long + "a"), new: .string(long + "b")) }
    let text = try page([row])
    #expect(text.utf8.count < 60_000)
    #expect(text.contains("xa</span>"))
    #expect(text.contains("xb</span>"))
    #expect(text.contains("and 10 more fields"))
  }

  @Test func `A plan without rows has a page`() throws {
    #expect(try page([]).contains("nothing to do: the plan has no rows"))
  }

  @Test func `A full disk leaves no page`() throws {
    _ = try SamplePlan.write(to: folder.path("p.json"))
    let reader = try SamplePlan.reader(folder.path("p.json"))
    let error = #expect(throws: FileError.self) {
      try PlanPage.write(reader, to: OutputPlace("/dev/full"), file: "p.json")
    }
    #expect(error?.message == "/dev/full cannot be written: No space left on device")
  }
}
