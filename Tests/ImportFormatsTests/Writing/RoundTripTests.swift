import Files
import HostLoop
import ImportFormats
import JSON
import TaskAPI
import TaskExport
import TestSupport
import Testing

/// An import of an exported file adds the same tasks.
@HostActor @Suite struct RoundTripTests {
  private let folder = TemporaryFolder()

  private nonisolated static let lines = [
    "Buy milk", "say \"hi\"", "\"", "\"quoted\"", "a,b;c\td|e", ";;;;", " leading", "trailing ", "  both  ",
    "Γάλα 牛奶 حليب 🥛",
    "e\u{301} \u{e9}", "x marks", " x marks", "x  two", "X", "(A) Call Ada +work @phone due:2026-12-01",
    "2016-03-01 day",
    "x 2016-03-01 2016-03-02 done?", "=1+1", "# no comment", "- [ ] no list", "null", "true", "12", "{\"text\": \"x\"}",
    "[", "\\n \\\"",
    "\u{FEFF}mark", "line\u{2028}separator\u{85}", "nul\0byte", "\u{1}\u{1B}[31m", "text",
    "id,text,completed,owner,date",
    String(repeating: "long ", count: 20_000),
  ]
  private nonisolated static let anything =
    lines + ["two\nlines", "two\r\nlines", "\rback", "\n\nlast\n", "a\n\"b\n,c", "tab\tand\nbreak\"", "\u{FEFF}\n"]

  private nonisolated static let files: [(name: String, format: SourceFormat?, texts: [String])] = [
    ("a.csv", nil, anything), ("a.tsv", nil, anything), ("a.json", nil, anything), ("a.ndjson", nil, anything),
    ("a.json", .taskwarrior, anything), ("a.txt", nil, lines), ("todo.txt", nil, lines), ("a.csv.gz", nil, anything),
    ("a.jsonl.zst", nil, anything), ("a.todo.txt.gz", nil, lines), ("done", .taskwarrior, anything),
    ("b", .csv, anything),
  ]

  /// Each of the texts is the first of a file once, for what a file begins with decides how it is read.
  @Test(arguments: files) func isTheSame(_ file: (name: String, format: SourceFormat?, texts: [String])) async throws {
    for first in file.texts.indices {
      let texts = Array(file.texts[first...] + file.texts[..<first]).prefix(first % 7 == 0 ? file.texts.count : 3)
      try await check(Array(texts), file.name, file.format)
    }
  }

  @Test(arguments: [";", "|", "\t", " "] as [Character]) func isTheSameWithAnotherSeparator(_ separator: Character)
    async throws
  {
    try await check(Self.anything, "a.csv", nil, separator: separator)
  }

  @Test(arguments: ["a.csv", "a.tsv", "a.csv.gz"]) func isTheSameBehindGuards(_ name: String) async throws {
    let cells = ["=1+1", "+1", "-1", "@SUM(1)", "\tx", "\rx", "'", "''", "'=1", "'x", "''=1", "x=1", "", " =1"]
    try await check(cells.filter { !$0.isEmpty } + Self.anything, name, nil, isForSpreadsheet: true)
    try await check(["plain"], name, nil, isForSpreadsheet: true)
  }

  @Test func formulasAreTold() async throws {
    let list = try TaskList(["Buy milk", "=1+1", "@x"].map { ["Id": 1, "Text": .string($0)] })
    defer { list.stop() }
    let place = OutputPlace(folder.path("a.csv"))
    let notes = try await TaskExporter.export(service: list.client(), to: place).notes
    #expect(notes.count == 1)
    #expect(notes.first?.hasPrefix("2 cells begin like a formula") == true, "\(notes)")
    #expect(notes.first?.contains("first the text of row 2: \"=1+1\"") == true, "\(notes)")
    let guarded = try await TaskExporter.export(service: list.client(), to: place, isForSpreadsheet: true)
    #expect(guarded.notes == [])
    let other = OutputPlace(folder.path("a.json"))
    let error = await #expect(throws: ImportError.self) {
      try await TaskExporter.export(service: list.client(), to: other, isForSpreadsheet: true)
    }
    #expect(error?.code == "no_cells")
  }

  private func check(
    _ texts: [String], _ name: String, _ format: SourceFormat?, separator: Character? = nil,
    isForSpreadsheet: Bool = false
  ) async throws {
    let tasks = texts.enumerated().map { index, text -> JSON in
      index % 2 == 0
        ? [
          "Id": .integer(Int64(index)), "Text": .string(text), "Completed": .bool(index % 3 == 0),
          "DateModified": "2016-03-01T10:20:30Z",
        ]
        : [
          "_id": .string("5\(index)"), "owner": "o'hara, \"x\"", "Text": .string(text),
          "completed": .bool(index % 3 == 0),
        ]
    }
    let list = try TaskList(tasks)
    defer { list.stop() }
    let path = folder.path(name)
    let report = try await TaskExporter.export(
      service: list.client(), to: OutputPlace(path), format: format, separator: separator,
      isForSpreadsheet: isForSpreadsheet)
    #expect(report.tasks == texts.count)

    let source = try FileRowSource(RecordReaders.open(path: path, format: format, separator: separator))
    var found: [TaskDraft] = []
    while let record = try await source.next() {
      guard case .task(let draft) = try await source.draft(of: record) else {
        Issue.record("no task: \(record)")
        return
      }
      found.append(draft)
    }
    #expect(found.map(\.text) == texts)
    let holdsCompletion = SourceFormat(path: name) != .text || format != nil
    #expect(
      found.map { $0.fields["completed"] == true } == texts.indices.map { holdsCompletion && $0 % 3 == 0 })
  }
}
