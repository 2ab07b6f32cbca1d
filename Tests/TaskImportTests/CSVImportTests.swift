import Diagnostics
import HostLoop
import TaskAPI
import TaskImport
import Testing

@HostActor @Suite struct CSVImportTests {
  @Test func textArrivesAsItStandsInTheFile() async throws {
    let file = TemporaryFile("Due,Text\n,\"Buy milk, eggs\"\n,\"say \"\"hi\"\"\"\n,\"two\nlines\"\n,Γάλα 🥛\n")
    let sink = try TaskSink()
    let report = try await sink.engine(concurrency: 1).run(CSVRowSource(CSVReader(path: file.path)))
    #expect(report.added == 4)
    #expect(sink.added == ["Buy milk, eggs", "say \"hi\"", "two\nlines", "Γάλα 🥛"])
  }

  @Test func mapMakesTasksAndSkips() async throws {
    let file = TemporaryFile("Title,Done\nMilk,no\nBread,yes\nEggs,no\n")
    let sink = try TaskSink()
    let source = try CSVRowSource(CSVReader(path: file.path)) { row, number in
      row["Done"] == "yes" ? nil : TaskDraft(text: "\(number). \(row["Title"] ?? "")")
    }
    let report = try await sink.engine(concurrency: 1).run(source)
    #expect(report.added == 2)
    #expect(report.skipped == 1)
    #expect(report.total == 3)
    #expect(sink.added == ["1. Milk", "3. Eggs"])
  }

  /// A map that waits, as one in a script may, is called for one row at a time, in their order.
  @Test func mapIsNotCalledTwiceAtOnce() async throws {
    let file = TemporaryFile("Text\n" + (1...30).map { "\($0)\n" }.joined())
    var numbers: [Int] = []
    var isInside = false
    let source = try CSVRowSource(CSVReader(path: file.path)) { row, number in
      #expect(!isInside)
      isInside = true
      try await HostLoop.shared.sleep(seconds: 0)
      isInside = false
      numbers.append(number)
      return TaskDraft(text: row[0])
    }
    let sink = try TaskSink()
    let report = try await sink.engine(concurrency: 8).run(source)
    #expect(report.added == 30)
    #expect(numbers == Array(1...30))
  }

  @Test func errorInMapEndsTheImport() async throws {
    struct NoSuchDate: Error {}
    let file = TemporaryFile("Text\na\nb\nc\nd\n")
    let sink = try TaskSink()
    let engine = try await sink.engine(concurrency: 1)
    let source = try CSVRowSource(CSVReader(path: file.path)) { row, number in
      if number == 3 { throw NoSuchDate() }
      return TaskDraft(text: row[0])
    }
    await #expect(throws: NoSuchDate.self) { try await engine.run(source) }
    #expect(engine.report.added == 2)
    #expect(sink.added == ["a", "b"])
  }

  @Test func columnMustBeKnownBeforeAnythingIsSent() throws {
    let file = TemporaryFile("Title,Description\na,b\n")
    let error = #expect(throws: ImportError.self) { try CSVRowSource(CSVReader(path: file.path)) }
    #expect(error?.code == "ambiguous_column")
  }
}
