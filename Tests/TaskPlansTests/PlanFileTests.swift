import Core
import Crypto
import Files
import Glibc
import JSON
import TaskAPI
import TestSupport
import Testing

@testable import TaskPlans

@Suite struct PlanFileTests {
  private let folder = TemporaryFolder()
  private var path: String { folder.path("p.json") }

  private func failure(of bytes: some Sequence<UInt8>) -> PlanError? {
    folder.write(bytes, to: "p.json")
    return #expect(throws: PlanError.self) {
      let reader = try SamplePlan.reader(path)
      while try reader.next() != nil {}
    }
  }

  private func plan() throws -> String {
    _ = try SamplePlan.write(to: path)
    return try #require(folder.read("p.json"))
  }

  @Test func `A plan is read as it was written, twice`() throws {
    let digest = try SamplePlan.write(to: path)
    let reader = try SamplePlan.reader(path)
    #expect(reader.header == SamplePlan.header)
    #expect(reader.digest == digest)
    #expect(reader.counts == Dictionary(uniqueKeysWithValues: PlannedRow.Action.allCases.map { ($0, 1) }))
    for _ in 1...2 {
      for row in SamplePlan.rows { #expect(try reader.next() == row) }
      #expect(try reader.next() == nil)
      #expect(try reader.next() == nil)
      try reader.rewind()
    }
    #expect(folder.names == ["p.json"])
  }

  @Test func `The file is one JSON document with a row a line`() throws {
    let text = try plan()
    let document = try JSON(parsing: text)
    #expect(document["b2c_run_plan"] == 1)
    #expect(document["created"] == "2026-05-28T20:26:40Z")
    #expect(document["key"] == ["column": "Nr", "field": "notes"])
    #expect(document["undoes"] == nil)
    let row = try #require(document["rows"]?.array?[1])
    #expect(
      row == [
        "row": 2, "line": 3, "action": "change", "key": "2", "text": "Task 2", "task": "T1", "etag": "\"v1\"",
        "changes": [
          "due": ["old": "2026-12-01", "new": "2026-12-24"], "labels": ["old": ["a"], "new": ["a", "b"]],
        ], "source": ["2", "Task 2"],
      ])
    #expect(
      text.contains(
        #"\#n{"row":2,"line":3,"action":"change","key":"2","text":"Task 2","task":"T1","etag":"\"v1\"","changes":{"due":{"old":"2026-12-01","new":"#
      ))
    #expect(text.contains("\n\"counts\": {\"create\":1,\"change\":1,\"remove\":1,"))
  }

  @Test func `The digest is that of all bytes before its line`() throws {
    let text = try plan()
    let start = try #require(text.ranges(of: "\"digest\"").last).lowerBound
    #expect(text[start...] == "\"digest\": \"sha256:\(SHA256.hash(text[..<start].utf8).hexadecimal)\"}\n")
  }

  @Test func `A plan without rows is a plan`() throws {
    _ = try SamplePlan.write([], to: path)
    #expect(try SamplePlan.read(path).isEmpty)
    #expect(try JSON(parsing: try #require(folder.read("p.json")))["rows"] == [])
  }

  @Test func `An undo names what it takes back`() throws {
    var header = SamplePlan.header
    header.kind = .undo
    header.undoes = "3f9a"
    (header.keyColumn, header.keyField) = (nil, nil)
    _ = try SamplePlan.write([], header, to: path)
    #expect(try SamplePlan.reader(path).header == header)
  }

  @Test func `A change of any byte is noticed before the first row`() throws {
    let bytes = Array(try plan().utf8)
    for index in bytes.indices {
      var changed = bytes
      changed[index] ^= 1
      let error = try #require(failure(of: changed), "byte \(index)")
      let isStart = index < PlanFormat.start.utf8.count
      #expect(
        error.kind == .changed || isStart && [.notAPlan, .tooNew].contains(error.kind), "byte \(index): \(error)")
    }
  }

  @Test func `A plan that is cut at any byte is refused`() throws {
    let bytes = Array(try plan().utf8)
    for count in 1..<bytes.count - 1 {
      #expect(failure(of: bytes[..<count])?.kind == .cutOff, "\(count) bytes of \(bytes.count)")
    }
    let error = try #require(failure(of: bytes[..<400]))
    #expect(
      error.description
        == "p.json is cut off: its end is missing (make a new plan: b2c-run import FILE --plan p.json)")
    // Some programs take the last line break off.
    folder.write(bytes.dropLast(), to: "p.json")
    #expect(try SamplePlan.read(path) == SamplePlan.rows)
  }

  @Test func `A plan that somebody has changed says what to do`() throws {
    let text = try plan()
    #expect(
      failure(of: text.replacing("2026-12-24", with: "2026-12-25").utf8)?.description
        == "p.json has been changed since it was written: its digest does not fit "
        + "(make a new plan: b2c-run import FILE --plan p.json)")
    #expect(
      failure(of: (text + "\n").utf8)?.message
        == "p.json has been changed since it was written: its last line is not as it was written")
    for other in [
      try JSON(parsing: text).encoded(), try JSON(parsing: text).encoded(pretty: true),
      text.replacing("\n", with: "\r\n"), "\u{FEFF}" + text, text.replacing("\": ", with: "\" : "),
    ] {
      #expect(
        failure(of: other.utf8)?.message
          == "p.json has been changed since it was written: another program has written its JSON anew")
    }
  }

  @Test(arguments: ["", "[]", "{}", "{\"a\":1}", "text,due\nBuy milk,\n", "\u{0}\u{0}", "{\"b2c_run_plan\": 0}"])
  func `Another file is no plan`(_ text: String) throws {
    #expect(
      failure(of: text.utf8)?.description
        == "p.json is not a plan of b2c-run (b2c-run import FILE --plan PLAN writes the plan PLAN of a list of tasks)")
  }

  @Test func `A plan of a newer format names the version that reads it`() throws {
    let newer = try plan().replacing("\"b2c_run_plan\": 1", with: "\"b2c_run_plan\": 3")
      .replacing("\"read_by\": \"1.1.0\"", with: "\"read_by\": \"1.4.0\"")
    let error = try #require(failure(of: newer.utf8))
    #expect(error.code == "plan_too_new")
    #expect(
      error.description
        == "p.json is a plan in format 3, and this program reads format 1 (b2c-run 1.4.0 or newer reads it)")
    #expect(
      failure(of: "{\"b2c_run_plan\":2}".utf8)?.hint == "use the version of b2c-run that wrote it")
  }

  /// A plan whose digest fits, as another program could make it.
  private func sealed(_ text: String) throws -> String {
    let start = try #require(text.ranges(of: "\"digest\"").last).lowerBound
    return text[..<start] + PlanFormat.end(SHA256.hash(text[..<start].utf8))
  }

  @Test(arguments: [
    ("{\"row\":2,", "{\"row\":0,", "row: expected a number from 1 on, found 0"),
    ("{\"row\":2,", "{\"row\":2 ", "'}' expected near"),
    ("\"action\":\"change\"", "\"action\":\"explode\"", "action: expected one of create, change, remove, same,"),
    ("\"task\":\"T1\",", "", "task is missing, and the action is change"),
    ("{\"old\":\"2026-12-01\",\"new\":\"2026-12-24\"}", "{\"new\":1}", "changes: expected an object of changes"),
    ("{\"row\":2,", "[{\"row\":2},", "expected"),
    ("\"source\":[\"2\"", "\"source\":[2", "source: expected a list of texts"),
  ])
  func `A line that is no row is named`(_ old: String, _ new: String, _ reason: String) throws {
    let text = try plan()
    #expect(text.contains(old))
    let error = try #require(failure(of: try sealed(text.replacing(old, with: new)).utf8))
    #expect(error.code == "plan_invalid")
    #expect(error.message.hasPrefix("p.json, line 16: "), "\(error)")
    #expect(error.message.contains(reason), "\(error)")
  }

  @Test func `A header that this program does not understand is refused`() throws {
    let text = try sealed(try plan().replacing("\"kind\": \"import\"", with: "\"kind\": \"magic\""))
    #expect(
      failure(of: text.utf8)?.message
        == "p.json, line 1: kind: expected one of import, undo, tasks, sync, found \"magic\"")
  }

  @Test func `A folder and a pipe are refused`() throws {
    #expect(throws: PlanError.unreadable("p.json", "it is a folder")) {
      try PlanReader(try OpenFile(folder.path, .streaming), name: "p.json")
    }
    #expect(throws: PlanError.unreadable("p.json", "it is not a file, and a plan is read twice")) {
      try PlanReader(try OpenFile("/dev/null", .streaming), name: "p.json")
    }
  }

  @Test func `A plan that changes while it is read is refused`() throws {
    let rows = (1...5000).map { number in
      var row = PlannedRow(row: number, action: .create, text: String(repeating: "x", count: 200))
      row.source = ["1"]
      return row
    }
    _ = try SamplePlan.write(rows, to: path)
    let reader = try SamplePlan.reader(path)
    #expect(try reader.next() == rows[0])
    let file = try OpenFile(path, Opening(O_WRONLY | O_APPEND))
    try file.write([0x20])
    let error = #expect(throws: PlanError.self) { while try reader.next() != nil {} }
    #expect(
      error?.message == "p.json has been changed since it was written: it was written to while it was being read")
  }

  @Test func `A full disk leaves no plan`() throws {
    let error = #expect(throws: FileError.self) { _ = try SamplePlan.write(to: "/dev/full") }
    #expect(error?.message == "/dev/full cannot be written: No space left on device")
    let writer = try PlanWriter(OutputPlace(path), SamplePlan.header)
    try writer.add(SamplePlan.rows[0])
    _ = consume writer
    #expect(folder.names.isEmpty)
  }
}
