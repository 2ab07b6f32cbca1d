import Files
import JSON
import TaskAPI
import TestSupport

@testable import TaskPlans

/// A plan with a row of each action, and with hostile texts.
enum SamplePlan {
  static let hostile = "\u{1B}[2J</script><b>\"\\\n\r\n\t\u{0}\u{202E}é e\u{301} 👩‍👩‍👧 =1+1"

  static var header: PlanHeader {
    var header = PlanHeader(
      .import, id: "k3v9x2m4p7q1", created: 1_780_000_000, source: "list.csv", account: "a1", accountName: "Ann",
      api: "https://api.example.com")
    header.place = ["account": "a1"]
    (header.keyColumn, header.keyField) = ("Nr", "notes")
    header.columns = ["Nr", "Text"]
    header.notes = ["The service does not keep labels."]
    return header
  }

  static var rows: [PlannedRow] {
    var rows = PlannedRow.Action.allCases.enumerated().map { index, action in
      let task =
        action == .create || action == .refused ? nil : TaskReference(id: "T\(index)", entityTag: "\"v\(index)\"")
      var row = PlannedRow(row: index + 1, line: index + 2, action: action, text: "Task \(index + 1)", task: task)
      row.key = String(index + 1)
      row.source = [String(index + 1), "Task \(index + 1)"]
      return row
    }
    rows[0].changes = ["text": .init(old: .null, new: "Task 1"), "priority": .init(old: .null, new: 3)]
    rows[0].parentRow = 2
    rows[1].changes = [
      "due": .init(old: "2026-12-01", new: "2026-12-24"), "labels": .init(old: ["a"], new: ["a", "b"]),
    ]
    rows[2].text = hostile
    rows[2].source = []
    rows[2].line = nil
    rows[4].reason = "lines 6 and 9 have the key 5"
    rows[5].reason = hostile
    rows[6].reason = "its due date is another one"
    return rows
  }

  static func write(_ rows: [PlannedRow] = rows, _ header: PlanHeader = header, to path: String) throws -> String {
    let writer = try PlanWriter(OutputPlace(path), header)
    for row in rows { try writer.add(row) }
    return try writer.finish()
  }

  static func reader(_ path: String) throws -> PlanReader {
    try PlanReader(try OpenFile(path, .reading), name: "p.json")
  }

  static func read(_ path: String) throws -> [PlannedRow] {
    let reader = try reader(path)
    var rows: [PlannedRow] = []
    while let row = try reader.next() { rows.append(row) }
    return rows
  }
}
