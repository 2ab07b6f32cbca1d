import HostLoop
import JSON
import TableReading
import TaskAPI
import TestSupport
import Testing

@testable import ImportFormats

/// Files that are perhaps not what their name says are doubtful before anything is sent; others are not.
@HostActor @Suite struct RecognitionTests {
  struct Example: Sendable, CustomTestStringConvertible {
    let name: String
    let text: String
    /// A part of the only finding; nil for a file without doubt.
    let finding: String?

    init(_ name: String, _ text: String, _ finding: String?) {
      (self.name, self.text, self.finding) = (name, text, finding)
    }

    var testDescription: String { "\(name): \(text.prefix(40))" }
  }

  nonisolated static let doubtful = [
    Example("a.csv", "Text^Due\nmilk^2027-01-31\n", "its only column is called \"Text^Due\""),
    Example("a.csv", "Text~Due\nmilk~2027-01-31\n", "its only column is called \"Text~Due\""),
    Example("a.tsv", "Text^Due\nmilk^2027-01-31\n", "its only column is called \"Text^Due\""),
    Example("a.csv", "Buy milk\nCall Ann\n", "its only column is called \"Buy milk\""),
    Example("a.csv", "Text,Due\na,,x\nb,,y\nc,\n", "2 of the first 3 rows do not have 2 fields"),
    Example(
      "a.csv", "Text;Due\na,2027-01-31\nb,2027-02-01\n", "line 1 may have the names of the columns, or values: Text;Due"
    ),
    Example("a.csv", "Milk,cold\nBread,fresh\n", "line 1 may have the names of the columns, or values: Milk, cold"),
    Example("a.csv", "Title,Task\nMilk,buy it\n", "the text may be in the columns \"Title\" or \"Task\""),
    Example("a.csv", "Wort,Zahl\nMilch,7\n", "\"Wort\" has the longest texts"),
    Example("a.ndjson", "{\"text\": \"a\"}\nno\nnor\n", "2 of the first 3 lines are not tasks"),
    Example("a.csv", "Text,(Due)\nmilk,2027-01-31\n", "the column \"(Due)\" would be left out, and may be due"),
    Example("a.csv", "Text,Due,Deadline\na,2027-01-31,2027-02-01\n", "due may be in the columns \"Due\", \"Deadline\""),
    Example("a.csv", "Text,,Due\na,x,2027-01-31\n", "column 2 has no name, and values such as \"x\""),
    Example("a.csv", "Title,Due\n1001,2027-01-31\n1002,\n", "\"Title\", which has no words: \"1001\", \"1002\""),
    Example("a.csv", "<!DOCTYPE html>\n<html></html>\n", "it begins like a page of HTML"),
    Example("a.txt", "\n  <HTML><head>\n", "it begins like a page of HTML"),
    Example("a.json", "<?xml version=\"1.0\"?>\n<tasks/>\n", "it begins like XML"),
    Example("a.txt", "BEGIN:VCALENDAR\r\nBEGIN:VTODO\r\n", "it begins like iCalendar"),
    Example("a.csv", "[{\"text\": \"a\"}, {\"text\": \"b\"}]", "it begins like JSON"),
    Example("a.txt", "{\"text\": \"a\"}\n{\"text\": \"b\"}\n", "it begins like JSON"),
    Example("a.txt", "Text,Due\nmilk,2027-01-31\n", "it looks like a table with columns"),
    Example("a.csv", "Text,Due\na\0b\0c\0,2027-01-31\n", "it has the byte 0x00"),
  ]

  nonisolated static let clear = [
    Example("a.csv", "Text\nBuy milk; bread\nCall Ann, today\n", nil), Example("a.csv", "Aufgaben\nMilch\n", nil),
    Example("a.csv", "Text, \"Due\"\nmilk, \"2027-01-31\"\n", nil),
    Example("a.csv", "Text,Due\u{200B}\nmilk,2027-01-31\n", nil),
    Example("a.csv", "\u{FEFF}\u{FEFF}Text,Due\nmilk,\n", nil),
    Example("a.csv", "Text,Due\u{A0}\nmilk,2027-01-31\n", nil), Example("a.csv", "Text\tDue\nmilk\t\nbread\t\n", nil),
    Example("a.csv", "Text|Due\nmilk|\n", nil), Example("a.csv", "Text,Due,\nmilk,,\nbread,,\n", nil),
    Example("a.csv", "Text,Due\nmilk,\na,b,c\nbread,\n", nil), Example("a.csv", "Title\n2027\nBuy milk\n", nil),
    Example("a.csv", "Text,Id\nA-1 sauce,1\nB 2,2\n", nil), Example("a.csv", "Text\n", nil),
    Example("a.txt", "Buy milk, bread\nText me, please\n", nil), Example("a.txt", "<3\n", nil),
    Example("a.json", "[{\"text\": \"a\", \"due\": null}]", nil),
  ]

  @Test(arguments: doubtful + clear) func doubts(_ example: Example) throws {
    let file = TemporaryFile(example.text, name: example.name)
    let found: [String]
    do throws(ImportError) {
      let reading = try RecordReaders.read(try SourceFile(path: file.path))
      found = try FileRowSource(reading, mapping: nil).doubts.map(\.finding)
    } catch {
      #expect(error.kind == .doubtful)
      found = [error.message]
    }
    guard let finding = example.finding else {
      #expect(found == [])
      return
    }
    #expect(found.count == 1, "\(found)")
    #expect(found.first?.contains(finding) == true, "\(found)")
  }

  @Test(arguments: [
    ("a.csv", "<!DOCTYPE html>\n<html></html>\n", "export or download it as CSV or JSON"),
    ("a.csv", "Text,Due\na\0b\0c\0,2027-01-31\n", "export or download it as CSV or JSON"),
  ])
  func remedies(_ name: String, _ text: String, _ remedy: String) throws {
    let file = TemporaryFile(text, name: name)
    let message: String
    do throws(ImportError) {
      let reading = try RecordReaders.read(try SourceFile(path: file.path))
      message = try FileRowSource(reading, mapping: nil).doubts.flatMap(\.remedies).joined()
    } catch { message = error.hint ?? "" }
    #expect(message.contains(remedy), "\(message)")
  }

  @Test(arguments: [
    "Tasks of Ann\nText,Due,Prio\nmilk,2027-01-31,high\n", "Tasks of Ann,,\nText,Due,Prio\nmilk,2027-01-31,high\n",
    "\nA list\n\nText;Due;Prio\nmilk;2027-01-31;high\n", "sep=;\nText;Due;Prio\nmilk;2027-01-31;high\n",
    "Meine Aufgaben\nAufgabe;Fällig;Priorität\nMilch;31.1.2027;hoch\n",
  ])
  func linesAboveTheNamesArePassedOver(_ text: String) throws {
    let file = TemporaryFile(text, name: "a.csv")
    let source = try FileRowSource(try RecordReaders.read(try SourceFile(path: file.path)), mapping: nil)
    #expect(source.doubts == [])
    #expect(source.fields == ["text", "due", "priority"])
  }

  @Test func aDoubtAboutASheetNamesAnotherOne() throws {
    let folder = TemporaryFolder()
    let path = folder.path("plan.xlsx")
    PythonProgram.run(
      """
      import openpyxl
      book = openpyxl.Workbook(); sheet = book.active; sheet.title = "Cover"; sheet.append(["Welcome to this plan"]); sheet.append(["of the year"])
      other = book.create_sheet("Ann's tasks"); other.append(["Text", "Due"]); other.append(["milk", "2027-01-31"]); book.save(path)
      """, path: path)
    let source = try FileRowSource(try RecordReaders.read(try SourceFile(path: path)), mapping: nil)
    #expect(
      source.doubts.first?.remedies.last
        == "--sheet 'Ann'\\''s tasks' (sheet = \"Ann's tasks\" in a script) if that sheet has the tasks")
  }

  @Test func aPlanIsNoListOfTasks() throws {
    let file = TemporaryFile("{\"b2c_run_plan\": 1,\n\"rows\": []}\n", name: "p.json")
    let error = #expect(throws: ImportError.self) { try RecordReaders.read(try SourceFile(path: file.path)) }
    #expect(error?.message.hasSuffix("p.json is a plan of b2c-run, expected a list of tasks") == true)
  }

  @Test func theHeaderCanBeNamed() throws {
    let file = TemporaryFile("Was;Wann\nText;Due\nmilk;2027-01-31\n", name: "a.csv")
    var source = try SourceFile(path: file.path)
    source.header = .line(2)
    #expect(try RecordReaders.open(source).columns == ["Text", "Due"])
    source = try SourceFile(path: file.path)
    source.skippedLines = 1
    #expect(try RecordReaders.open(source).columns == ["Text", "Due"])
    source = try SourceFile(path: file.path)
    source.header = TableShape.Header.none
    let reader = try RecordReaders.open(source)
    #expect(reader.columns == ["Column 1", "Column 2"])
    #expect(try reader.next()?.line == 1)
  }

  @Test func datesAreReadByTheWholeColumn() async throws {
    let rows = (1...60).map { "Task \($0),3/\($0 % 12 + 1)/2027\n" }.joined()
    let file = TemporaryFile("Text,Due\n" + rows + "Last,25/1/2027\n", name: "a.csv")
    let source = try FileRowSource(try RecordReaders.read(try SourceFile(path: file.path)), mapping: nil)
    #expect(source.doubts == [])
    let record = try #require(try await source.next())
    guard case .task(let draft) = try await source.draft(of: record) else {
      Issue.record("\(record)")
      return
    }
    #expect(draft.fields["due"] == "2027-02-03")
  }

  @Test(arguments: [
    ("1/2/2027,x\n2/3/2027,y\n", "the dates in \"Due\", such as 1/2/2027, may have the day or the month first"),
    ("13/2/2027,x\n2/13/2027,y\n", "\"Due\" has dates in two orders: 13/2/2027 (line 2) and 2/13/2027 (line 3)"),
  ])
  func datesThatNothingDecidesAreADoubt(_ rows: String, _ finding: String) throws {
    let file = TemporaryFile("Due,Text\n" + rows, name: "a.csv")
    let doubts = try FileRowSource(RecordReaders.read(SourceFile(path: file.path)), mapping: nil).doubts
    #expect(doubts.map(\.finding) == [finding])
    let named = try FileRowSource(RecordReaders.read(SourceFile(path: file.path)), mapping: nil, dateOrder: .monthFirst)
    #expect(named.doubts == [])
  }

  @Test func aTableWithoutNamesLosesNoTask() async throws {
    let file = TemporaryFile("Milk,2027-01-31,high,no\nBread,2027-02-01,low,yes\n", name: "a.csv")
    let source = try FileRowSource(RecordReaders.read(SourceFile(path: file.path)), mapping: nil)
    #expect(source.doubts == [])
    let columns = "completed from \"Column 4\", due from \"Column 2\", priority from \"Column 3\""
    #expect(source.summary.hasPrefix("text from column \"Column 1\", \(columns)"))
    let record = try #require(try await source.next())
    #expect(
      try await source.draft(of: record)
        == .task(TaskDraft(text: "Milk", fields: ["due": "2027-01-31", "priority": 1])))
  }

  @Test func theColumnsOfAMapShowTheHeader() throws {
    let file = TemporaryFile("Ideas of Ann\nMilk,cold\nBread,fresh\n", name: "a.csv")
    let mapping = try RowMapping(parsing: "text=Milk")
    var source = try SourceFile(path: file.path)
    source.expect(mapping)
    let rows = try FileRowSource(RecordReaders.read(source), mapping: mapping)
    #expect(rows.doubts == [])
    #expect(rows.beginning.count == 1)
  }

  /// A file that has grown is read as before, whatever its beginning shows now.
  @Test func theReadingOfAnEarlierRunDecides() async throws {
    let first = TemporaryFile("Wort;Wann;Rang\nMilch kaufen;1/2/2027;1\nBrot holen;13/2/2027;2\n", name: "a.csv")
    let kept = try #require(
      try FileRowSource(
        RecordReaders.read(SourceFile(path: first.path)), mapping: RowMapping(parsing: "text=Wort,due=Wann")
      ).kept)
    let grown = TemporaryFile(
      "Wort;Wann;Rang\nMilch kaufen;1/2/2027;1\n" + String(repeating: "x,1;2/28/2027;2\n", count: 40), name: "a.csv")
    var source = try SourceFile(path: grown.path)
    source.header = kept.header
    let again = try FileRowSource(
      RecordReaders.read(source, separator: kept.separator), mapping: nil, kept: KeptReading(kept.json))
    #expect(again.kept == kept)
    let record = try #require(try await again.next())
    #expect(
      try await again.draft(of: record) == .task(TaskDraft(text: "Milch kaufen", fields: ["due": "2027-02-01"])))
  }

  @Test func bytesOfNoText() throws {
    let file = TemporaryFile([0xA6, 0, 1, 2, 0xFF, 10, 3], name: "a.csv")
    let error = #expect(throws: ImportError.self) { try RecordReaders.read(try SourceFile(path: file.path)) }
    #expect(error?.kind == .notText && error?.hint?.contains("export or download it as CSV") == true)
  }

  @Test(arguments: [
    ("Aufgabe;Fällig;Erledigt;Priorität", ["text", "completed", "due", "priority"]),
    ("Tâche;Échéance;Id", ["text", "due"]), ("Tarea;Vencimiento;Notas", ["text", "notes", "due"]),
  ])
  func namesInOtherLanguagesAreKnown(_ header: String, _ fields: [String]) throws {
    let file = TemporaryFile("\(header)\nMilch;1.2.2027;nein;\n", name: "a.csv")
    let source = try FileRowSource(RecordReaders.read(SourceFile(path: file.path)), mapping: nil)
    #expect(source.fields == fields)
  }

  @Test(arguments: [("A;Fällig", "--map text=COLUMN,due=Fällig"), ("A;B", "--map text=COLUMN, or in a script")])
  func aColumnOfNumbersIsNoText(_ header: String, _ option: String) throws {
    let file = TemporaryFile("\(header)\n1;2\n", name: "a.csv")
    let error = #expect(throws: ImportError.self) {
      try FileRowSource(try RecordReaders.read(try SourceFile(path: file.path)), mapping: nil)
    }
    #expect(error?.kind == .missingColumn && error?.hint?.contains(option) == true, "\(error?.hint ?? "")")
  }

  @Test func namesOfOtherPrograms() throws {
    let file = TemporaryFile("Text,Done,Prio\nmilk,yes,high\n", name: "a.csv")
    func doubts(_ map: String) throws -> [ReadingDoubt] {
      try FileRowSource(RecordReaders.read(try SourceFile(path: file.path)), mapping: RowMapping(parsing: map)).doubts
    }
    let doubt = try #require(try doubts("text=Text,done=Done,prio=Prio").first)
    #expect(doubt.finding.contains("\"done\" is not a field of a task: did you mean completed?"))
    #expect(doubt.remedies == ["--map text=Text,completed=Done,priority=Prio"])
    // A server may have such a field.
    for map in ["text=Text,status=Done", "text=Text,completed=Done", "text=Text,Note=Prio", "text=Text,color=Prio"] {
      #expect(try doubts(map) == [])
    }
    for (map, hint) in [("done=Done", "--map text=COLUMN,completed=Done"), ("title=Text", "--map text=Text")] {
      let error = #expect(throws: ImportError.self) { try RowMapping(parsing: map) }
      #expect(error?.hint == "write \(hint)")
    }
  }

  @Test func optionsDecide() throws {
    let page = TemporaryFile("<html>\n", name: "a.txt")
    #expect(try RecordReaders.read(try SourceFile(path: page.path), format: .text, isDecided: true).doubts == [])
    let caret = TemporaryFile("Text^Due\nmilk^2027-01-31\n", name: "a.csv")
    let reading = try RecordReaders.read(try SourceFile(path: caret.path), separator: "^")
    #expect(try FileRowSource(reading, mapping: nil).doubts == [])
    let mapped = try FileRowSource(
      RecordReaders.read(try SourceFile(path: caret.path)), mapping: RowMapping(parsing: "text=\"Text^Due\""))
    #expect(mapped.doubts == [])
  }
}
