import JSON
import Testing

@testable import TaskPlans

@Suite struct PlannedRowTests {
  @Test func `A new task has its fields as changes from nothing`() {
    var row = PlannedRow(row: 1, action: .create, text: "Buy milk")
    row.changes["text"] = .init(old: .null, new: "Buy milk")
    #expect(row.newValues == ["text": "Buy milk"])
    #expect(row.oldValues == ["text": .null])
    #expect(row.action.isWrite)
  }
}
