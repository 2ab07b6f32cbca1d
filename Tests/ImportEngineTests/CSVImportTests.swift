import Core
import Files
import HostLoop
import ImportEngine
import ImportFormats
import TaskAPI
import TestSupport
import Testing

@HostActor @Suite struct CSVImportTests {
  @Test func textArrivesAsItStandsInTheFile() async throws {
    let file = TemporaryFile("Due,Text\n,\"Buy milk, eggs\"\n,\"say \"\"hi\"\"\"\n,\"two\nlines\"\n,Γάλα 🥛\n")
    let sink = try TaskSink()
    let report = try await sink.engine(concurrency: 1).run(FileRowSource(CSVReader(path: file.path)))
    #expect(report.added == 4)
    #expect(sink.added == ["Buy milk, eggs", "say \"hi\"", "two\nlines", "Γάλα 🥛"])
  }

  @Test func columnMustBeKnownBeforeAnythingIsSent() throws {
    let file = TemporaryFile("Due,Amount\n2027-01-31,5\n")
    let error = #expect(throws: ImportError.self) { try FileRowSource(CSVReader(path: file.path)) }
    #expect(error?.code == "missing_column")
  }
}

/// Files that a test names are opened as the system finds them.
extension CSVReader {
  convenience init(path: String) throws {
    try self.init(SourceFile(path) { try OpenFile(path, $0) }, separator: ",")
  }
}
