import Core
import Files
import HTTPServer
import HostLoop
import ImportFormats
import JSON
import TaskAPI
import TaskExport
import TestSupport
import Testing

@HostActor @Suite struct ExportTests {
  private let folder = TemporaryFolder()

  private let tasks: [JSON] = [
    [
      "Id": 7, "Owner": "0a-1", "Text": "Buy \"fresh\" milk,\nand bread ", "Completed": false,
      "DateModified": "2016-03-01T10:20:30Z", "Priority": 2,
    ],
    ["_id": "57a", "owner": "o'hara", "Text": "牛奶 🥛", "completed": true, "date": "2016-03-02T10:20:30.123Z", "__v": 0],
    ["Id": 9, "Text": "plain"],
  ]

  /// The file that `tasks` become.
  private func export(
    _ tasks: [JSON], to name: String, format: SourceFormat? = nil, separator: Character? = nil
  ) async throws -> (text: String, report: ExportReport) {
    let list = try TaskList(tasks)
    defer { list.stop() }
    let report = try await TaskExporter.export(
      service: list.client(), to: OutputPlace(folder.path(name)), format: format, separator: separator)
    return (folder.read(name) ?? "", report)
  }

  /// The message and hint that an export fails with.
  private func failure(
    _ tasks: [JSON], to name: String, format: SourceFormat? = nil, separator: Character? = nil
  ) async -> String? {
    do {
      _ = try await export(tasks, to: name, format: format, separator: separator)
      return nil
    } catch { return (error as? any Failure)?.description }
  }

  @Test func csv() async throws {
    let (text, report) = try await export(tasks, to: "tasks.csv")
    #expect(
      text == """
        id,text,completed,owner,date,notes,completed_at,due,start,priority,labels,list,parent,recurrence,url,key,list_name
        7,"Buy ""fresh"" milk,
        and bread ",false,0a-1,2016-03-01T10:20:30Z,,,,,2,,,,,,,
        57a,牛奶 🥛,true,o'hara,2016-03-02T10:20:30.123Z,,,,,,,,,,,,
        9,plain,false,,,,,,,,,,,,,,

        """)
    #expect(report.tasks == 3)
    #expect(report.bytes == text.utf8.count)
    #expect(report.format == .csv)
    #expect(report.path == folder.path("tasks.csv"))
    #expect(report.notes.isEmpty)
  }

  @Test func aSeparatorAndTabsAreQuotedToo() async throws {
    let task: JSON = ["Id": 1, "Text": "a;b\tc,d"]
    #expect(try await export([task], to: "a.csv", separator: ";").text.contains("\n1;\"a;b\tc,d\";false;;;"))
    #expect(
      try await export([task], to: "a.tsv").text.hasSuffix(
        "\trecurrence\turl\tkey\tlist_name\n1\t\"a;b\tc,d\"\tfalse" + String(repeating: "\t", count: 14) + "\n"))
  }

  @Test func json() async throws {
    let (text, _) = try await export(tasks, to: "tasks.json")
    let lines = [
      #"{"id":7,"text":"Buy \"fresh\" milk,\nand bread ","completed":false,"owner":"0a-1","date":"2016-03-01T10:20:30Z","priority":2}"#,
      #"{"id":"57a","text":"牛奶 🥛","completed":true,"owner":"o'hara","date":"2016-03-02T10:20:30.123Z","__v":0}"#,
      #"{"id":9,"text":"plain","completed":false}"#,
    ]
    #expect(text == "[\n" + lines.joined(separator: ",\n") + "\n]\n")
    #expect(try await export(tasks, to: "tasks.jsonl").text == lines.map { $0 + "\n" }.joined())
  }

  @Test func todo() async throws {
    let tasks: [JSON] = [
      ["Id": 1, "Text": "(A) Call Ada +work due:2026-12-01"],
      ["Id": 2, "Text": "2016-03-01 is a day", "Completed": true],
      ["Id": 3, "Text": "x marks the spot"], ["Id": 4, "Text": " x ", "Completed": true], ["Id": 5, "Text": " x y"],
    ]
    #expect(
      try await export(tasks, to: "todo.txt").text == """
        (A) Call Ada +work due:2026-12-01
        x 2016-03-01 is a day
         x marks the spot
        x  x\u{20}
          x y

        """)
  }

  @Test func taskwarrior() async throws {
    let (text, _) = try await export(tasks, to: "tasks.json", format: .taskwarrior)
    let written = try #require(try JSON(parsing: text).array)
    #expect(written.map { $0["description"] } == ["Buy \"fresh\" milk,\nand bread ", "牛奶 🥛", "plain"])
    #expect(written.map { $0["status"] } == ["pending", "completed", "pending"])
    #expect(written.map { $0["entry"] } == ["20160301T102030Z", "20160302T102030Z", nil])
    #expect(written.map { $0["end"] } == [nil, "20160302T102030Z", nil])
    let identifiers = written.compactMap { $0["uuid"]?.string }
    #expect(Set(identifiers).count == 3)
    #expect(identifiers.allSatisfy { $0.count == 36 && $0.split(separator: "-").map(\.count) == [8, 4, 4, 4, 12] })
    // The same task keeps its identifier.
    #expect(try await export(tasks, to: "again.json", format: .taskwarrior).text == text)
  }

  @Test func noTaskEndsBeforeItsEntry() async throws {
    let task: JSON = [
      "Id": 1, "Text": "a", "Completed": true, "completed_at": "2016-03-01T10:20:30Z", "date": "2027-01-31T08:00:00Z",
    ]
    let (text, _) = try await export([task], to: "tasks.json", format: .taskwarrior)
    let written = try JSON(parsing: text).array?.first
    #expect(
      written?["end"] == "20160301T102030Z" && written?["entry"] == "20160301T102030Z", "\(String(describing: written))"
    )
    #expect(written?["modified"] == "20270131T080000Z")
  }

  @Test func plainTextTellsWhatItDoesNotHold() async throws {
    let (text, report) = try await export(
      [["Id": 1, "Text": " a "], ["Id": 2, "Text": "b", "Completed": true]], to: "a.txt")
    #expect(text == " a \nb\n")
    #expect(
      report.notes == [
        "1 completed task looks like an open one in plain text; csv, json, todotxt and taskwarrior tell them apart"
      ])
  }

  @Test func noTaskMakesAnEmptyList() async throws {
    #expect(
      try await export([], to: "a.csv").text
        == "id,text,completed,owner,date,notes,completed_at,due,start,priority,labels,list,parent,recurrence,url,key,list_name\n"
    )
    #expect(try await export([], to: "a.json").text == "[]\n")
    #expect(try await export([], to: "b.json", format: .taskwarrior).text == "[]\n")
    #expect(try await export([], to: "a.txt").text == "")
  }

  @Test(arguments: [
    ("a.txt", "two\nlines", "the task 12 cannot be written as text: its text has a line break"),
    ("a.txt", "a\r", "the task 12 cannot be written as text: its text has a line break"),
    ("a.txt", " \t", "the task 12 cannot be written as text: its text is empty"),
    ("todo.txt", "two\nlines", "the task 12 cannot be written as todotxt: its text has a line break"),
  ])
  func aTaskThatTheFormatCannotHoldEndsTheExport(name: String, text: String, message: String) async {
    folder.write("old", to: name)
    let failure = await failure([["Id": 11, "Text": "fine"], ["Id": 12, "Text": .string(text)]], to: name)
    #expect(
      failure == "\(message) (nothing was written; csv, tsv, json, ndjson and taskwarrior hold any text)")
    #expect(folder.read(name) == "old")
    #expect(folder.names == [name])
  }

  @Test func anUnknownNameIsRefusedWithTheKnownOnes() async {
    #expect(
      await failure([], to: "tasks.xlsx")
        == "cannot tell the format of \(folder.path("tasks.xlsx")) by its name (name it .csv, .tsv, .json, .ndjson, .jsonl, "
        + ".ics, .txt, todo.txt or .todo.txt, each also with .gz or .zst; or give the format with --format, or format = in a "
        + "script: csv, tsv, json, ndjson, text, todotxt, taskwarrior; a spreadsheet opens a .csv)")
    #expect(folder.names.isEmpty)
  }

  @Test func aSeparatorIsForCSVOnly() async {
    #expect(
      await failure([], to: "tasks.json", separator: ";")
        == "a file of the format json has no separator to choose (the separator is for CSV files: give the format csv, or "
        + "no separator)")
    #expect(
      await failure([], to: "tasks.csv", separator: "\"")
        == "the separator is \"\"\", expected one ASCII character other than a quote or line break")
  }

  @Test(arguments: ["a.csv.gz", "a.json.zst"]) func isCompressedByItsName(name: String) async throws {
    let many = (1...3000).map { JSON.object(["Id": .integer($0), "Text": "the same text again and again"]) }
    let (_, report) = try await export(many, to: name)
    #expect(report.tasks == 3000)
    #expect(report.bytes < 40_000)
    #expect(report.format == (name.hasPrefix("a.csv") ? .csv : .json))
  }

  @Test func aListThatIsCutOffLeavesTheOldFile() async throws {
    let whole = JSON.array((1...2000).map { ["Id": .integer($0), "Text": "task"] }).encoded()
    var answer = ServerResponse(text: whole, type: "application/json")
    answer.drop = .midResponse
    let list = try TaskList(answer)
    defer { list.stop() }
    folder.write("old", to: "a.csv")
    await #expect(throws: (any Error).self) {
      try await TaskExporter.export(service: list.client(), to: OutputPlace(folder.path("a.csv")))
    }
    #expect(folder.read("a.csv") == "old")
    #expect(folder.names == ["a.csv"])
  }

  @Test func aFolderThatIsNotThereIsSaid() async {
    #expect(
      await failure([], to: "no/such/a.csv")
        == "\(folder.path("no/such/a.csv")) cannot be written: No such file or directory")
  }
}
