import Databases
import HTTPClient
import HTTPServer
import HostLoop
import ImportEngine
import ImportFormats
import TaskAPI
import TestSupport
import Testing

@testable import SharedImport

/// Imports that several machines share, with a real PostgreSQL.
@Suite("Imports of several machines") @HostActor
struct SharedRunTests {
  private let texts = (1...1200).map { "task \($0)" }

  @Test("One machine plans and sends all rows, and the blocks are dropped", arguments: [TaskSink.Kind.keyed, .plain])
  func alone(kind: TaskSink.Kind) async throws {
    let ground = try await SharedGround()
    let sink = try TaskSink(kind)
    let report = try await ground.run(sink).run { TextSource(texts) }
    #expect(report.added == 1200 && report.total == 1200 && report.unsettled == 0)
    #expect(sink.added.sorted() == texts.sorted())
    #expect(try await ground.number("SELECT count(*) FROM block") == 0)
    #expect(try await ground.number("SELECT count(*) FROM worker") == 0)
    #expect(
      try await ground.number("SELECT count(*) FROM pg_class WHERE relname LIKE 'block_%' AND relkind = 'r'") == 0)
  }

  @Test("A changed source is refused, finished or not")
  func changed() async throws {
    let ground = try await SharedGround()
    let sink = try TaskSink(.keyed)
    var others = texts
    others[700] = "another"
    let record = try await ground.open()
    try await ground.plan(texts, record)
    let open = await ground.sentence { try await ground.run(sink).run { TextSource(others) } }
    #expect(open.hasPrefix("/home/alice/tasks.csv has changed since its import began: one of the rows "))
    _ = try await ground.run(sink).run { TextSource(texts) }
    let done = await ground.sentence { try await ground.run(sink).run { TextSource(others) } }
    #expect(
      done.hasPrefix("/home/alice/tasks.csv has changed since its import began: its rows are not those that were"))
    let shorter = await ground.sentence {
      try await ground.run(sink).run { TextSource(Array(texts.prefix(10))) }
    }
    #expect(shorter.contains("it has fewer rows than were imported"))
    #expect(Set(sink.added) == Set(texts) && sink.added.count == 1200)
  }

  @Test("Several machines send each row once", arguments: [TaskSink.Kind.keyed, .plain])
  func several(kind: TaskSink.Kind) async throws {
    let ground = try await SharedGround()
    let sink = try TaskSink(kind)
    let record = try await ground.open()
    try await ground.plan(texts, record)
    let first = try await ground.run(sink, named: "one")
    let second = try await ground.run(sink, named: "two")
    let others = HostActor.task { try await second.run() }
    let report = try await first.run { TextSource(texts) }
    _ = try await others.value
    #expect(report.added == 1200)
    #expect(sink.added.sorted() == texts.sorted())
  }

  @Test("Rows of a dead machine are sent again with their keys, and added once")
  func deadWithKeys() async throws {
    let ground = try await SharedGround()
    let sink = try TaskSink(.keyed)
    let record = try await ground.open()
    try await ground.plan(texts, record)
    try await ground.imports.setHonorsKey(true, record.id)
    let blocks = try await ground.deadWorker(record.id, claiming: 2, honorsKey: true)
    #expect(blocks.count == 2)
    // It has sent the first rows, and not written that.
    let client = try TaskAPIClient(http: .init(), tokens: FixedToken(), baseURL: "http://\(sink.authority)")
    for row in blocks[0].rows.prefix(5) {
      let draft = try #require(row.draft)
      let key = "\(record.id)-\(row.number)-\(String(StableHash.of(draft.text), radix: 16))"
      _ = try await client.add(draft, idempotencyKey: key)
    }
    let report = try await ground.run(sink).run { TextSource(texts) }
    #expect(report.added == 1200 && report.unsettled == 0)
    #expect(sink.added.sorted() == texts.sorted())
  }

  @Test("Without keys the list of tasks tells about the rows of a dead machine, after all blocks are done")
  func deadWithoutKeys() async throws {
    let ground = try await SharedGround()
    let sink = try TaskSink(.plain)
    let record = try await ground.open()
    try await ground.plan(texts, record)
    try await ground.imports.setHonorsKey(false, record.id)
    let blocks = try await ground.deadWorker(record.id, claiming: 1, honorsKey: false)
    let block = try #require(blocks.first)
    let owner = try #require(
      try await ground.imports.database.first("SELECT owner FROM block WHERE owner IS NOT NULL")?[0].text)
    try await ground.imports.writeIntents([block], [8], record.id, worker: owner)
    let client = try TaskAPIClient(http: .init(), tokens: FixedToken(), baseURL: "http://\(sink.authority)")
    // Eight rows may have been sent, and five were.
    for row in block.rows.prefix(5) { _ = try await client.add(try #require(row.draft), idempotencyKey: nil) }
    let report = try await ground.run(sink).run { TextSource(texts) }
    #expect(report.added == 1200 && report.unsettled == 0)
    #expect(sink.added.sorted() == texts.sorted())
  }

  @Test("Without keys and without a count of the tasks before, such rows stay unsettled and are reported")
  func unsettled() async throws {
    let ground = try await SharedGround()
    let sink = try TaskSink(.plain)
    let record = try await ground.open()
    try await ground.plan(texts, record, baseline: nil)
    try await ground.imports.setHonorsKey(false, record.id)
    let blocks = try await ground.deadWorker(record.id, claiming: 1, honorsKey: false)
    let owner = try #require(
      try await ground.imports.database.first("SELECT owner FROM block WHERE owner IS NOT NULL")?[0].text)
    try await ground.imports.writeIntents(blocks, [3], record.id, worker: owner)
    let report = try await ground.run(sink).run { TextSource(texts) }
    #expect(report.added == 1197 && report.unsettled == 3)
    #expect(report.failures.map(\.row).sorted() == [1, 2, 3] && report.failures.allSatisfy(\.isUnsettled))
  }

  @Test("A machine that was taken for dead begins anew, and nothing is added twice")
  func fenced() async throws {
    let ground = try await SharedGround()
    let sink = try TaskSink(.keyed)
    let run = try await ground.run(sink)
    let source = TextSource(texts)
    source.beforeRow = { row in
      guard row == 900 else { return }
      // Another machine takes over.
      HostActor.task {
        let id = try await ground.imports.database.first("DELETE FROM worker RETURNING id")?[0].text ?? ""
        try await ground.imports.database.execute(
          "UPDATE block SET state = 'free', owner = NULL, epoch = epoch + 1 WHERE owner = ?", .text(id))
      }
    }
    // It reads the source once more, from its beginning.
    var sources = [source]
    let report = try await run.run { sources.popLast() ?? TextSource(texts) }
    #expect(report.added == 1200 && report.unsettled == 0)
    #expect(sink.added.sorted() == texts.sorted())
  }

  @Test("A machine that was taken for dead while it had nothing to send begins anew, too")
  func fencedIdle() async throws {
    let ground = try await SharedGround()
    let sink = try TaskSink(.keyed)
    let record = try await ground.open()
    try await ground.plan(["a", "b"], record)
    let living = WorkerIdentity(machine: "two", process: 2, boot: "boot", version: "test")
    _ = try await ground.imports.register(living, on: record.id, seconds: 600, now: 0)
    #expect(try await ground.imports.claim(5, record.id, worker: living.id, honorsKey: true).count == 1)
    let run = try await ground.run(sink)
    let running = HostActor.task { try await run.run { TextSource(["a", "b"]) } }
    // The source is read, and the other machine has the block.
    while try await ground.number("SELECT count(*) FROM import WHERE planned IS NOT NULL") == 0 {
      try await HostLoop.shared.sleep(seconds: 0.02)
    }
    try await ground.imports.database.execute("DELETE FROM worker WHERE machine = 'one'")
    while try await ground.number("SELECT count(*) FROM worker WHERE machine = 'one'") == 0 {
      try await HostLoop.shared.sleep(seconds: 0.02)
    }
    try await ground.imports.database.execute("UPDATE block SET state = 'free', owner = NULL, epoch = epoch + 1")
    #expect(try await running.value.added == 2)
    #expect(sink.added.sorted() == ["a", "b"])
  }

  @Test("A write of an earlier claim changes nothing")
  func epochs() async throws {
    let ground = try await SharedGround()
    let record = try await ground.open()
    try await ground.plan(texts, record)
    let old = try await ground.deadWorker(record.id, claiming: 1, honorsKey: true)
    let block = try #require(old.first)
    let owner = try #require(
      try await ground.imports.database.first("SELECT owner FROM block WHERE owner IS NOT NULL")?[0].text)
    #expect(try await ground.imports.takeOver(owner, beat: 0)?.blocks == 1)
    let outcome = SharedImports.Outcome(
      number: block.number, epoch: block.epoch, states: block.rows.map { _ in .added }, failures: [], end: .done)
    #expect(try await ground.imports.write([outcome], record.id, worker: owner).isEmpty)
    await #expect(throws: ImportError.self) {
      try await ground.imports.writeIntents([block], [3], record.id, worker: owner)
    }
    #expect(
      try await ground.number("SELECT count(*) FROM block WHERE added > 0 OR intent <> rows AND intent <> 0") == 0)
    // A worker that is not registered any more gets nothing.
    #expect(try await ground.imports.claim(5, record.id, worker: owner, honorsKey: true).isEmpty)
  }

  @Test("A block that ended five workers is held, and the next import tries it again")
  func held() async throws {
    let ground = try await SharedGround()
    let sink = try TaskSink(.keyed)
    let record = try await ground.open()
    try await ground.plan(Array(texts.prefix(50)), record)
    try await ground.imports.database.execute("UPDATE block SET attempts = 4")
    _ = try await ground.deadWorker(record.id, claiming: 1, honorsKey: true)
    let run = try await ground.run(sink)
    let message = await ground.sentence { try await run.run() }
    #expect(message.contains("1 block of the import of tasks.csv"), "\(message)")
    #expect(message.contains("ended 5 workers one after the other, or cannot be read, and is held"))
    #expect(sink.added.isEmpty)
    let report = try await ground.run(sink).run { TextSource(Array(texts.prefix(50))) }
    #expect(report.added == 50)
  }

  @Test("Refused, skipped and empty rows are in the report of the machine that imports")
  func failures() async throws {
    let ground = try await SharedGround()
    let sink = try TaskSink(.keyed) { text, _ in
      text.hasSuffix("7") ? ServerResponse(status: 400, text: #"{"error":"no"}"#, type: "application/json") : nil
    }
    let report = try await ground.run(sink).run { TextSource(["a1", " ", "a7", "a2", "b7"]) }
    #expect(report.added == 2 && report.failed == 3 && report.total == 5)
    #expect(report.failures.map(\.row) == [2, 3, 5])
    #expect(report.failures.map(\.code).first == "empty_text")
    var rows: [Int] = []
    let record = try await ground.open()
    let next = ground.imports.failureReader(of: record.id)
    while let row = try await next() { rows.append(row.failure.row) }
    #expect(rows == [2, 3, 5])
  }

  @Test("Two machines with one name are refused")
  func twoMachines() async throws {
    let ground = try await SharedGround()
    let other = WorkerIdentity(machine: "one", process: 77, boot: "another boot", version: "test")
    _ = try await ground.imports.register(other, on: "", seconds: 60, now: 0)
    let run = try await ground.run(try TaskSink(.keyed))
    let message = await ground.sentence { try await run.run { TextSource(["a"]) } }
    #expect(message.hasPrefix("another machine with the name one works at "), "\(message)")
    #expect(message.hasSuffix("(its process 77); until then: 0 added") || message.hasSuffix("(its process 77)"))
  }

  @Test("While the database is away, nothing is lost: a server that crashes and starts again")
  func databaseAway() async throws {
    let server = try PostgresServer()
    let ground = try await SharedGround(server)
    let sink = try TaskSink(.keyed)
    let run = try await ground.run(sink, times: SharedTimes(lease: 30, grace: 35))
    var notices: [String] = []
    run.events.watch(ImportEvent.self) { event, _ in if case .notice(let text) = event { notices.append(text) } }
    let source = TextSource(texts)
    source.beforeRow = { row in if row == 600 { try server.crash() } }
    let running = HostActor.task { try await run.run { source } }
    while notices.isEmpty { try await HostLoop.shared.sleep(seconds: 0.05) }
    try server.start()
    let report = try await running.value
    #expect(report.added == 1200 && sink.added.sorted() == texts.sorted())
    #expect(notices.contains { $0.hasSuffix("waiting for it: rows under way are kept, and nothing is lost") })
    #expect(notices.contains { $0.hasSuffix(" is back") })
  }

  @Test("Machines that end at the same moment do not wait for each other")
  func ends() async throws {
    let ground = try await SharedGround()
    let machines = try (1...6).map { _ in try ground.machine() }
    for round in 1...15 {
      let identity = ImportIdentity(
        source: "/home/alice/\(round).csv", account: "alice", accountName: "alice", api: "x")
      let record = try await ground.open(identity)
      try await ground.plan(["a"], record)
      try await ground.imports.database.execute("UPDATE block SET state = 'done' WHERE import_id = ?", .text(record.id))
      let ends = machines.map { machine in
        HostActor.task {
          try await machine.moveLow(record.id)
          return try await machine.finish(record.id)
        }
      }
      var count = 0
      for end in ends where try await end.value { count += 1 }
      #expect(count == 1)
    }
  }

  /// The moments at which the machine dies that goes on with a longer source.
  enum End: CaseIterable, Sendable { case opened, planned, ended }

  @Test("If a machine dies that goes on behind a finished import, no row is sent again", arguments: End.allCases)
  func grown(end: End) async throws {
    let ground = try await SharedGround()
    let sink = try TaskSink(.plain)
    _ = try await ground.run(sink).run { TextSource(texts) }
    let longer = texts + ["new 1", "new 2"]
    let done = try await ground.open()
    if end == .opened { try await ground.imports.reopen(done.id) } else { try await ground.plan(longer, done) }
    if end == .planned {
      // The end of the source was not written.
      try await ground.imports.database.execute("UPDATE import SET planned = NULL")
      try await ground.imports.database.execute(
        "UPDATE import SET rows = ?, digest = ?", .integer(1200), .init(done.plan.digest.map { Int64(bitPattern: $0) }))
    }
    let report = try await ground.run(sink).run { TextSource(longer) }
    #expect(report.added == 1202 && report.total == 1202)
    #expect(sink.arrivals.count == 1202)
    var others = longer
    others[5] = "another"
    let message = await ground.sentence { try await ground.run(sink).run { TextSource(others) } }
    #expect(message.contains("its rows are not those that were imported"), "\(message)")
    #expect(sink.arrivals.count == 1202)
  }

  @Test("A worker that ends frees the blocks that it has claimed without hearing of it")
  func unheard() async throws {
    let ground = try await SharedGround()
    let record = try await ground.open()
    try await ground.plan(texts, record)
    _ = try await ground.deadWorker(record.id, claiming: 3, honorsKey: true)
    let worker = try #require(try await ground.imports.database.first("SELECT id FROM worker")?[0].text)
    try await ground.imports.unregister(worker)
    #expect(try await ground.number("SELECT count(*) FROM block WHERE state = 'free' AND attempts = 0") == 12)
    let sink = try TaskSink(.keyed)
    let report = try await ground.run(sink).run { TextSource(texts) }
    #expect(report.added == 1200)
  }

  @Test("A canceled machine gives its blocks back")
  func canceled() async throws {
    let ground = try await SharedGround()
    let sink = try TaskSink(.keyed)
    let run = try await ground.run(sink)
    let source = TextSource(texts)
    let running = Locked<Task<ImportReport, any Error>?>(nil)
    source.beforeRow = { row in if row == 800 { running.withLock { $0 }?.cancel() } }
    let task = HostActor.task { try await run.run { source } }
    running.withLock { $0 = task }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try await ground.number("SELECT count(*) FROM worker") == 0)
    #expect(try await ground.number("SELECT count(*) FROM block WHERE state = 'claimed'") == 0)
    let report = try await ground.run(sink).run { TextSource(texts) }
    #expect(report.added == 1200 && sink.added.sorted() == texts.sorted())
  }
}
