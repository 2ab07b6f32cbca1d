import Databases
import HTTPServer
import HostLoop
import ImportFormats
import ImportJournal
import JSON
import TaskAPI
import TestSupport
import Testing

@testable import ImportEngine

/// Rows that name other rows of their source as their parents.
@HostActor @Suite struct ParentTests {
  typealias Row = FamilySource.Row

  private let runs = JournaledRuns()

  @Test(arguments: [1, 8]) func parentsBeforeAndAfterTheirChildren(concurrency: Int) async throws {
    let sink = try TaskSink()
    let rows = [
      Row("c", below: "b"), Row("a"), Row("b", below: "a"), Row("d", below: "a"), Row("f", below: "g"), Row("g"),
    ]
    let report = try await runs.run(rows, sink, concurrency: concurrency)
    #expect(report.total == 6 && report.added == 6 && report.lost == [:])
    #expect(
      sink.tree.sorted() == [
        "task a", "task b < task a", "task c < task b", "task d < task a", "task f < task g", "task g",
      ])
    // Only rows that come before their parents leave the order of the source.
    if concurrency == 1 { #expect(sink.added.map { $0.suffix(1) } == ["a", "b", "d", "g", "c", "f"]) }
    #expect(try await runs.run(rows, sink).addedBefore == 6)
    #expect(sink.arrivals.count == 6)
  }

  /// Each row is below the next one, or below the one before.
  @Test(arguments: [true, false]) func chains(isReversed: Bool) async throws {
    let sink = try TaskSink()
    let rows = (1...600).map { number in
      Row("\(number)", below: isReversed ? (number < 600 ? "\(number + 1)" : nil) : number > 1 ? "\(number - 1)" : nil)
    }
    let report = try await runs.run(rows, sink)
    #expect(report.added == 600 && report.lost == [:])
    let top = isReversed ? 600 : 1
    #expect(
      Set(sink.tree)
        == Set((1...600).map { $0 == top ? "task \($0)" : "task \($0) < task \(isReversed ? $0 + 1 : $0 - 1)" }))
  }

  /// Names that look alike are different names.
  @Test func similarNamesAreDifferent() async throws {
    let sink = try TaskSink()
    let names = (0..<400).map { "T\($0)" } + ["ab", "abc", "0", "00", "1", "01", "-1"]
    let report = try await runs.run(
      names.map { Row($0) } + [Row("child", below: "T900"), Row("kid", below: "T23")], sink)
    #expect(report.added == names.count + 2 && report.lost == ["parent": 1])
    #expect(sink.tree.contains("task child") && sink.tree.contains("task kid < task T23"))
  }

  @Test func aParentThatNeverComes() async throws {
    let sink = try TaskSink()
    let report = try await runs.run([Row("a"), Row("b", below: "x"), Row("c", below: "b")], sink)
    #expect(report.added == 3 && report.lost == ["parent": 1])
    #expect(sink.tree == ["task a", "task b", "task c < task b"])
    #expect(
      runs.notices == [
        "row 2 (line 3): parent: no row of the source has the ID 'x'; the row is added without its parent"
      ])
  }

  @Test func aStrictImportEndsBeforeARowThatWouldLoseItsParent() async throws {
    let sink = try TaskSink()
    let error = try await #require(throws: ImportError.self) {
      try await runs.run([Row("a"), Row("b", below: "x")], sink) { $0.isStrict = true }
    }
    #expect(error.message.hasPrefix("the import stopped: row 2 (line 3): parent: no row of the source has the ID 'x'"))
    #expect(sink.added == ["task a"])
  }

  @Test func circles() async throws {
    let sink = try TaskSink()
    let rows = [
      Row("a", below: "c"), Row("b", below: "a"), Row("c", below: "b"), Row("d", below: "c"),
      Row("self", below: "self"),
    ]
    let report = try await runs.run(rows, sink)
    #expect(report.added == 5 && report.lost == ["parent": 2])
    #expect(
      sink.tree.sorted() == ["task a", "task b < task a", "task c < task b", "task d < task c", "task self"])
    #expect(
      runs.notices.sorted() == [
        "row 1 (line 2): parent: the parents go in a circle: row 1, row 3, row 2, and row 1 again; the row is added "
          + "without its parent",
        "row 5 (line 6): parent: the row names itself as its parent; the row is added without its parent",
      ])
  }

  @Test(arguments: [true, false]) func aParentThatFails(isFirst: Bool) async throws {
    let sink = try TaskSink { text, _ in text == "task a" ? ServerResponse(status: 400) : nil }
    let rows = [Row("a"), Row("b", below: "a"), Row("c", below: "b")]
    let report = try await runs.run(isFirst ? rows : rows.reversed(), sink)
    #expect(report.added == 2 && report.failed == 1 && report.lost == ["parent": 1])
    #expect(sink.tree == ["task b", "task c < task b"])
    let place = isFirst ? "row 2 (line 3): parent: its parent, row 1," : "row 2 (line 3): parent: its parent, row 3,"
    #expect(runs.notices.contains { $0.hasPrefix("\(place) was not added") }, "\(runs.notices)")
  }

  @Test func aParentThatIsNoTask() async throws {
    let sink = try TaskSink()
    let report = try await runs.run([Row("a", " "), Row("b", below: "a")], sink)
    #expect(report.failed == 1 && report.added == 1)
    #expect(
      runs.notices == [
        "row 2 (line 3): parent: its parent, row 1, was not added: the text is empty; the row is added without its parent"
      ])
  }

  @Test func repeatedAndMissingNames() async throws {
    let sink = try TaskSink()
    let rows = [Row("a"), Row("a", "other"), Row(nil, "unnamed"), Row("b", below: "a")]
    #expect(try await runs.run(rows, sink).added == 4)
    #expect(sink.tree.last == "task b < task a")
    #expect(
      runs.notices == [
        "row 2 (line 3): row 1 has the source ID 'a' already; rows below 'a' go below row 1",
        "row 3 (line 4) has no source ID",
      ])
  }

  /// Without names, a parent is the ID of a task of the server.
  @Test func parentsOfAnImportWithoutNames() async throws {
    let sink = try TaskSink(tasks: ["old"])
    let report = try await runs.run([Row(nil, below: "1", "child")], sink, isDeclared: false)
    #expect(report.lost == [:] && sink.tree == ["old", "child < old"] && runs.notices == [])
  }

  @Test func aDryRunTellsWhatWouldBeLost() async throws {
    let sink = try TaskSink()
    let rows = [Row("a", below: "b"), Row("b", below: "a"), Row("c", below: "x"), Row("d", " "), Row("e", below: "d")]
    let report = try await runs.run(rows, sink) { $0.isDryRun = true }
    #expect(report.unsent == 4 && report.failed == 1 && report.lost == ["parent": 3] && sink.arrivals.isEmpty)
    #expect(runs.notices.count == 3, "\(runs.notices)")
  }

  /// The answer about a parent was lost: the list of tasks tells the ID.
  @Test(arguments: [TaskSink.Kind.plain, .keyed]) func anAnswerThatIsLost(kind: TaskSink.Kind) async throws {
    let sink = try TaskSink(kind) { text, time in
      text == "task a" && time == 1 ? ServerResponse(status: 201, drop: .beforeResponse) : nil
    }
    let report = try await runs.run([Row("a"), Row("b", below: "a"), Row("c")], sink)
    #expect(report.added == 3 && report.lost == [:])
    #expect(sink.tree.sorted() == ["task a", "task b < task a", "task c"])
  }

  @Test(arguments: [TaskSink.Kind.plain, .keyed]) func killedImportsGoOn(kind: TaskSink.Kind) async throws {
    // Parents before, after, and far away from their children; a circle, and a parent that never comes.
    let rows = (1...600).map { number in
      switch number {
      case 600: Row("600", below: "1")
      case 17: Row("17", below: "none")
      case _ where number % 3 == 0: Row("\(number)", below: "\(number - 1)")
      case _ where number % 3 == 1: Row("\(number)", below: "\(601 - number)")
      default: Row("\(number)")
      }
    }
    let sink = try TaskSink(kind) { _, _ in ServerResponse(status: 201, delay: 0.002) }
    for requests in [20, 90, 101, 150, 120] { try await runs.killed(after: requests, rows, sink) }
    let report = try await runs.run(rows, sink)
    #expect(report.added == 600)
    let other = try TaskSink(kind)
    try await JournaledRuns().run(rows, other)
    #expect(sink.tree.sorted() == other.tree.sorted())
  }

  /// The rows that were added before have neither names nor IDs; those that follow have them.
  @Test(arguments: [3, 2]) func aJournalOfAnEarlierVersion(version: Int) async throws {
    let rows = [Row("a"), Row("b"), Row("c", below: "b"), Row("d", below: "a")]
    let journal = try await runs.journal()
    try await journal.setBaseline(total: 0, counts: [:])
    let source = FamilySource(rows)
    let first = try await StableHash.$isOfOldJournal.withValue(version == 2) { try await source.next() }
    let known = JournalRow(row: 1, fingerprint: try #require(first).fingerprint)
    try await journal.willSend([known])
    journal.settle(known, .addedAs(nil))
    await journal.close()
    let database = try SQLiteConnection(path: runs.file)
    try database.executeScript("DROP TABLE names; PRAGMA user_version = \(version); PRAGMA wal_checkpoint(TRUNCATE)")
    let sink = try TaskSink(tasks: ["task a"])
    let report = try await runs.run(rows, sink)
    #expect(report.added == 4 && report.addedBefore == 1)
    #expect(report.lost == ["parent": 1])
    #expect(sink.tree.sorted() == ["task a", "task b", "task c < task b", "task d"])
    #expect(
      runs.notices.contains {
        $0 == "row 4 (line 5): parent: no row of the source has the ID 'a'; the row is added without its parent"
      }, "\(runs.notices)")
  }

  @Test func theJournalKnowsTheTasks() async throws {
    let sink = try TaskSink(tasks: ["old"])
    try await runs.run([Row("a"), Row("b", below: "a")], sink, concurrency: 1)
    let journal = try await runs.journal()
    let fates = try await journal.fates(of: [1, 2, 3])
    #expect(fates.mapValues(\.task?.id) == [1: "2", 2: "3"])
    let names = journal.nameReader()
    var found: [String] = []
    while let (row, name) = try names.next() { found.append("\(row) \(name)") }
    #expect(found == ["1 a", "2 b"])
    await journal.close()
  }
}

/// Imports with more rows than are kept in memory.
@HostActor @Suite struct ManyParentsTests {
  /// Each row is below the next one, so that all of them wait for the end of the source.
  @Test func aDeepChainThatBeginsAtItsEnd() async throws {
    let count = 3000
    let rows = (1...count).map { FamilySource.Row("\($0)", below: $0 < count ? "\($0 + 1)" : nil, "\($0)") }
    let service = FamilyService()
    let journal = try await ImportJournal.inMemory(TaskSink.identity)
    var options = ImportOptions()
    options.keys.areHonored = true
    let engine = ImportEngine(service: service, journal: journal, options: options)
    let report = try await engine.run(FamilySource(rows))
    await journal.close()
    #expect(report.added == count && report.lost == [:])
    // The last row comes first, and each task is below the one before.
    #expect(
      service.tasks.enumerated().allSatisfy { number, task in
        task.text == "\(count - number)" && task.parent == (number == 0 ? nil : "\(number)")
      })
  }
}

/// A service that keeps its tasks in memory.
@HostActor
private final class FamilyService: TaskService {
  private(set) var tasks: [(text: String, parent: String?)] = []
  var batchSize: Int { 1 }

  func add(_ draft: TaskDraft, idempotencyKey: String?) async throws -> AddedTask {
    tasks.append((draft.text, draft.fields["parent"]?.string))
    var members = draft.fields
    members["text"] = .string(draft.text)
    members["id"] = .integer(Int64(tasks.count))
    guard let task = APITask(.object(members)) else { throw CancellationError() }
    return try AddedTask(draft: draft, task: task, of: "families", isNew: true)
  }

  func add(_ batch: [KeyedDraft]) async -> [Result<AddedTask, any Error>] {
    var results: [Result<AddedTask, any Error>] = []
    for item in batch {
      do { results.append(.success(try await add(item.draft, idempotencyKey: item.key))) } catch {
        results.append(.failure(error))
      }
    }
    return results
  }

  func unkept(of draft: TaskDraft) throws(TaskAPIError) -> [String] { [] }
  func unkept(among fields: [String]) -> [String] { [] }
  func resolved(_ fields: [String: JSON]) async throws -> [String: JSON] { fields }
  func each(list: String?, _ body: @escaping @HostActor (APITask) throws -> Void) async throws {}
  func forEachText(_ body: @escaping @HostActor (String, Bool) throws -> Void) async throws -> Int { 0 }
  func task(id: String) async throws -> APITask? { nil }
  func update(_ task: APITask, _ changes: [String: JSON]) async throws -> APITask { task }
  func remove(_ task: APITask) async throws {}
  func lists() async throws -> [TaskListName] { [] }
  func listNames() async throws -> [String: String] { [:] }
  func checkList(of draft: TaskDraft) async throws {}
  var usualList: String? { nil }
  var makesLists: Bool { false }
  func makeList(_ name: String) async throws -> TaskListName { throw CancellationError() }
}
