import Automation
import Files
import HostLoop
import ImportEngine
import ImportFormats
import ImportReport
import Imports
import Permissions
import TaskAPI
import TestSupport
import Testing

/// A run without a script.
@HostActor
private final class NoScript: ScriptRun.Caller {
  let callName: String? = nil
  let place: String? = nil
  let isStopping = false
}

/// Imports without Lua: a plan goes in, a summary comes out.
@HostActor
struct ImportPlanTests {
  private let folder = TemporaryFolder()
  private let service = ListService()
  private let imports: RunImports

  init() throws {
    var configuration = ScriptConfiguration(scriptsFolder: "/nowhere")
    configuration.session.grants = .everything
    configuration.session.importsFolder = folder.path("imports")
    let session = Session(configuration.session, console: Console(isQuiet: true) { _ in }, tenant: nil)
    imports = RunImports(ScriptRun(session, configuration, caller: NoScript()))
  }

  /// The plan of an import of a file into the list.
  private func plan(_ content: String) -> ImportPlan {
    let path = folder.write(content, to: "a.txt")
    let source = ImportSource(path: path) { _, _ in
      let reading = try RecordReaders.read(try SourceFile(path) { try OpenFile(path, $0) })
      return ImportSource.Opened(rows: try FileRowSource(reading, mapping: nil))
    }
    return ImportPlan("tasks.import", source) { [service] in .service(service) }
  }

  @Test func addsTheRowsAndWritesTheOthers() async throws {
    let plan = self.plan("one\nrefused\ntwo\n")
    let summary = try await imports.run("a.txt") { plan }
    #expect(service.tasks.map(\.text).sorted() == ["one", "two"])
    #expect(summary.report.added == 2)
    #expect(summary.report.failed == 1)
    #expect(summary.ending == .finished)
    #expect(imports.failedRows == 1)
    #expect(summary.failedRows == folder.path("a.txt.failed.ndjson"))
    #expect(folder.read("a.txt.failed.ndjson")?.contains("refused") == true)
  }

  @Test func aSecondImportAddsNothing() async throws {
    let plan = self.plan("one\ntwo\n")
    _ = try await imports.run("a.txt") { plan }
    let again = try await imports.run("a.txt") { plan }
    #expect(service.tasks.count == 2)
    #expect(again.report.addedNow == 0)
    #expect(imports.names.count == 1)
  }

  @Test func theHandlerReplacesAFailedRow() async throws {
    var plan = self.plan("refused\n")
    plan.onRowFailed = { failure in .change(TaskDraft(text: "\(failure.text), changed")) }
    let summary = try await imports.run("a.txt") { [plan] in plan }
    #expect(service.tasks.map(\.text) == ["refused, changed"])
    #expect(summary.report.failed == 0)
  }

  @Test func aRefusalNamesTheOption() async throws {
    var plan = self.plan("one\n")
    plan.files.report = folder.path("report.txt")
    let refused = plan
    let error = await #expect(throws: ImportRefusal.self) { try await imports.run("a.txt") { refused } }
    #expect(error?.code == "invalid_argument")
    #expect(error?.subject?.option == "report")
    #expect(service.tasks.isEmpty)
  }

  @Test func theEndIsAnEventAlsoWithoutABeginning() async throws {
    let ends = Ends()
    imports.session.events.handle(EndedImport.self) { ended, _ in ends.all.append(ended) }
    let plan = self.plan("one\n")
    _ = try await imports.run("a.txt") { plan }
    _ = try? await imports.run("b.txt") { throw CancellationError() }
    #expect(ends.all.map(\.source) == ["a.txt", "b.txt"])
    #expect(ends.all.map { $0.summary == nil } == [false, true])
    #expect(ends.all.map { $0.error == nil } == [true, false])
  }
}

@HostActor
private final class Ends {
  var all: [EndedImport] = []
}
