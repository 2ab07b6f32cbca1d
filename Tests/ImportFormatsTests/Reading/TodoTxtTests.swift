import ImportFormats
import JSON
import TestSupport
import Testing

@Suite struct TodoTxtTests {
  @Test(
    arguments: [
      ("Buy milk", ["text": "Buy milk", "description": "Buy milk", "completed": false]),
      (
        "(A) 2026-11-01 Call Mom +Family @phone due:2026-12-01 http://example.org",
        [
          "text": "(A) 2026-11-01 Call Mom +Family @phone due:2026-12-01 http://example.org", "completed": false,
          "description": "Call Mom +Family @phone due:2026-12-01 http://example.org", "priority": "A",
          "created_on": "2026-11-01", "projects": ["Family"], "contexts": ["phone"],
          "labels": ["Family", "phone"], "due": "2026-12-01",
        ]
      ),
      (
        "x 2026-11-20 2026-11-01 Call Mom",
        [
          "text": "2026-11-20 2026-11-01 Call Mom", "completed": true, "description": "Call Mom",
          "completed_on": "2026-11-20", "created_on": "2026-11-01",
        ]
      ),
      (
        "x (B) 2026-11-20 Call Mom",
        [
          "text": "(B) 2026-11-20 Call Mom", "completed": true, "description": "Call Mom", "priority": "B",
          "completed_on": "2026-11-20",
        ]
      ),
      ("xylophone lesson", ["text": "xylophone lesson", "completed": false, "description": "xylophone lesson"]),
      ("X marks", ["text": "X marks", "completed": false, "description": "X marks"]),
      (" x marks the spot", ["text": "x marks the spot", "completed": false, "description": "x marks the spot"]),
      ("  x marks", ["text": " x marks", "completed": false, "description": "x marks"]),
      (
        "(b) -> done (A) x text:other",
        [
          "text": "(b) -> done (A) x text:other", "completed": false, "description": "(b) -> done (A) x text:other",
        ]
      ),
    ] as [(String, JSON)])
  func line(_ line: String, is json: JSON) throws {
    let file = TemporaryFile("\n\(line)\n", name: "todo.txt")
    let reader = try RecordReaders.open(path: file.path)
    #expect(reader.format == .todotxt)
    #expect(reader.summary == "todo.txt")
    let record = try #require(try reader.next())
    guard case .value(let value) = record.content else {
      Issue.record("no value")
      return
    }
    #expect(value == json)
    #expect(record.line == 2)
  }
}
