import DatabaseAddress
import Databases
import HostLoop
import ImportEngine
import ImportFormats
import JSON
import TaskAPI
import TestSupport
import Testing

@testable import SharedImport

/// Imports of several machines in a database that others use, too, or that somebody has written to.
@Suite("Trouble of imports of several machines") @HostActor
struct SharedTroubleTests {
  private let texts = (1...1200).map { "task \($0)" }

  @Test("A backup stops no import, and its blocks are dropped later")
  func backup() async throws {
    let ground = try await SharedGround()
    let reader = try ground.machine().database
    let hasRead = CancellableWait<Void>()
    let mayEnd = CancellableWait<Void>()
    let backup = HostActor.task {
      try await reader.transaction { statements in
        try await statements.execute("LOCK TABLE block, import, worker, failure IN ACCESS SHARE MODE")
        hasRead.finish(.success(()))
        // The server ends a transaction that is idle for 15 seconds.
        let keeping = HostActor.task {
          while true {
            try await HostLoop.shared.sleep(seconds: 1)
            _ = try await statements.first("SELECT 1")
          }
        }
        defer { keeping.cancel() }
        try await mayEnd.value()
      }
    }
    try await hasRead.value()
    let sink = try TaskSink(.keyed)
    let report = try await ground.run(sink).run { TextSource(texts) }
    #expect(report.added == 1200)
    let tables = "SELECT count(*) FROM pg_class WHERE relname LIKE 'block_%' AND relkind = 'r'"
    #expect(try await ground.number(tables) == 1)
    // Its source has grown, while the backup goes on.
    let second = try await ground.run(sink).run { TextSource(texts + ["new"]) }
    #expect(second.added == 1201 && sink.added.count == 1201)
    mayEnd.finish(.success(()))
    try await backup.value
    try await ground.imports.dropBlocks()
    #expect(try await ground.number(tables) == 0)
  }

  @Test("An ID that no program has made becomes a part of no statement")
  func foreignID() async throws {
    let ground = try await SharedGround()
    try await ground.imports.database.execute("CREATE TABLE victim (a BIGINT)")
    try await ground.imports.database.execute(
      """
      INSERT INTO import (id, source, account, account_name, api, place, options, state)
      VALUES ('abcdefgh, victim', 'evil.csv', 'a', 'a', 'x', '{}', '{}', 'open')
      """)
    try await ground.imports.forget("abcdefgh, victim")
    #expect(try await ground.number("SELECT count(*) FROM victim") == 0)
    #expect(throws: ImportError.self) { try SharedSchema.dropPartition(of: "abcdefgh, victim", "here") }
    #expect(throws: ImportError.self) { try SharedSchema.makePartition(of: "ABCDEFGHIJKLMNOP", "here") }
  }

  /// An import whose second block somebody has changed, and the message of its end.
  private func importWithBlock(changedBy change: String) async throws -> (SharedGround, TaskSink, String) {
    let ground = try await SharedGround()
    let record = try await ground.open()
    try await ground.plan(texts, record)
    try await ground.imports.database.execute("UPDATE block SET \(change) WHERE no = 1")
    let sink = try TaskSink(.keyed)
    let run = try await ground.run(sink)
    return (ground, sink, await ground.sentence { try await run.run { TextSource(texts) } })
  }

  @Test(
    "A block that cannot be read is held, and the others are sent",
    arguments: [
      "payload = '\\x00'", "payload = payload || payload",
      // The fates of 500 rows, of which one is none.
      "result = decode('63' || repeat('00', 499), 'hex')", "result = '\\x00'", "intent = -1", "intent = 501",
      "epoch = -2", "claimed = 'infinity'", "claimed = '0044-03-15 BC'",
    ])
  func damagedBlock(change: String) async throws {
    let (ground, sink, message) = try await importWithBlock(changedBy: change)
    #expect(message.contains("or cannot be read, and is held"), "\(message)")
    #expect(sink.added.count == 1100 && Set(sink.added).count == 1100)
    #expect(try await ground.number("SELECT count(*) FROM block WHERE state = 'claimed'") == 0)
  }

  @Test(
    "A block with numbers that cannot be is told, and after its repair the import goes on",
    arguments: ["first_row = 9223372036854775807", "rows = -1"])
  func damagedNumbers(change: String) async throws {
    let (ground, sink, message) = try await importWithBlock(changedBy: change)
    #expect(message.contains("the table block in \(ground.imports.place) is damaged: its column"), "\(message)")
    try await ground.imports.database.execute("UPDATE block SET first_row = 101, rows = 100 WHERE no = 1")
    let report = try await ground.run(sink).run { TextSource(texts) }
    #expect(report.added == 1200 && sink.added.sorted() == texts.sorted())
  }

  @Test(
    "An import that no machine has written like this is told, with its column",
    arguments: [
      ("rate = 'NaN'", "rate"), ("rate = -1", "rate"), ("state = 'ready'", "state"), ("honors_key = 2", "honors_key"),
      ("low = -9223372036854775808", "low"), ("options = '{'", "options"), ("added = -1", "added"),
    ])
  func damagedImport(change: String, column: String) async throws {
    let ground = try await SharedGround()
    let record = try await ground.open()
    try await ground.imports.database.execute("UPDATE import SET \(change)")
    let error = try await #require(throws: DamagedRow.self) { _ = try await ground.imports.load(record.id) }
    #expect(error.table == "import" && error.column == column, "\(error)")
    #expect(error.place == ground.imports.place)
  }

  @Test("States and marks that no machine writes end an import with their column", arguments: ["block", "import"])
  func damagedMarks(table: String) async throws {
    let ground = try await SharedGround()
    let record = try await ground.open()
    try await ground.plan(texts, record)
    let (change, column) =
      table == "block" ? ("state = 'bogus' WHERE no = 3", "state") : ("low = 4611686018427387", "low")
    let sink = try TaskSink(.keyed)
    let source = TextSource(texts)
    source.beforeRow = { row in
      guard row == 1200 else { return }
      HostActor.task { try await ground.imports.database.execute("UPDATE \(table) SET \(change)") }
    }
    let run = try await ground.run(sink) { $0.rate = 400 }
    let message = await ground.sentence { try await run.run { source } }
    #expect(message.contains("is damaged: its column \(column)"), "\(message)")
    #expect(Set(sink.added).count == sink.added.count)
  }

  @Test("One damaged import or worker keeps nobody from the others, and is told")
  func isolated() async throws {
    let ground = try await SharedGround()
    let bad = try await ground.open(
      ImportIdentity(source: "/bad.csv", account: "a", accountName: "a", api: TaskSink.identity.api))
    let record = try await ground.open()
    try await ground.plan(texts, record)
    try await ground.imports.database.execute("UPDATE import SET added = -1 WHERE id = ?", .text(bad.id))
    try await ground.imports.database.execute(
      """
      INSERT INTO worker (id, machine, process, boot, version, lease_until, import_id)
      VALUES ('w', 'ghost', -1, 'b', '1', now() + interval '200 years', ?)
      """, .text(record.id))
    try await ground.imports.database.execute("UPDATE block SET state = 'claimed', owner = 'w' WHERE no = 2")
    var told: [String] = []
    ground.imports.damaged.tell = { told.append($0) }
    #expect(try await ground.imports.list().map(\.id) == [record.id])
    #expect(try await ground.imports.waiting().map(\.id) == [record.id])
    #expect(try await ground.imports.workers().isEmpty)
    #expect(told.count == 2, "\(told)")
    #expect(told.contains { $0.contains("the row /bad.csv of the table import") }, "\(told)")
    let sink = try TaskSink(.keyed)
    let report = try await ground.run(sink).run { TextSource(texts) }
    #expect(report.added == 1200 && sink.added.sorted() == texts.sorted())
  }

  @Test("Rows of unknown fate wait for the machine that has the source, and keep no helper busy")
  func unknownWithoutSource() async throws {
    let ground = try await SharedGround()
    let record = try await ground.open()
    try await ground.plan(texts, record)
    try await ground.imports.database.execute("UPDATE block SET state = 'done', unknown = 1")
    try await ground.imports.database.execute("UPDATE import SET planned = NULL")
    #expect(try await ground.imports.waiting().isEmpty)
    try await ground.imports.database.execute("UPDATE import SET planned = 12")
    #expect(try await ground.imports.waiting().map(\.id) == [record.id])
  }

  @Test("A user who may not make tables is told so, and a member of the owner's role imports")
  func rights() async throws {
    let ground = try await SharedGround()
    let role = "guest_\(ground.database)"
    try await ground.imports.database.execute("CREATE ROLE \(role) LOGIN")
    let rights = "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO \(role)"
    try await ground.imports.database.execute(rights)
    let guest = SharedImports(PostgresDatabase(try PostgresAddress(ground.server.address(ground.database, user: role))))
    let error = try await #require(throws: PostgresError.self) {
      try await guest.open(TaskSink.identity, place: [:], options: [:], rate: nil)
    }
    #expect(error.kind == .noRights && error.hint?.contains("GRANT OWNER TO USER") == true, "\(error)")
    try await ground.imports.database.execute("GRANT \(PostgresServer.user) TO \(role)")
    #expect(try await guest.open(TaskSink.identity, place: [:], options: [:], rate: nil).state == .open)
    await guest.close()
  }

  @Test("A block of a worker that is in no table is sent by others")
  func orphan() async throws {
    let ground = try await SharedGround()
    let record = try await ground.open()
    try await ground.plan(texts, record)
    try await ground.imports.database.execute("UPDATE block SET state = 'claimed', owner = 'nobody' WHERE no = 2")
    let sink = try TaskSink(.keyed)
    let report = try await ground.run(sink).run { TextSource(texts) }
    #expect(report.added == 1200 && sink.added.sorted() == texts.sorted())
  }

  @Test("An error of the database that lasts ends the import with its message")
  func lasting() async throws {
    let ground = try await SharedGround()
    let sink = try TaskSink(.keyed)
    let run = try await ground.run(sink) { $0.rate = 100 }
    let source = TextSource(texts)
    source.beforeRow = { row in
      guard row == 600 else { return }
      HostActor.task { try await ground.imports.database.execute("ALTER TABLE worker RENAME TO workers") }
    }
    let message = await ground.sentence { try await run.run { source } }
    #expect(message.contains("\"worker\""), "\(message)")
    try await ground.imports.database.execute("ALTER TABLE workers RENAME TO worker")
    let report = try await ground.run(sink).run { TextSource(texts) }
    #expect(report.added == 1200 && sink.added.sorted() == texts.sorted())
  }

  @Test("A machine that comes to help keeps to the rate from its first request")
  func rate() async throws {
    let ground = try await SharedGround()
    let record = try await ground.open(rate: 40)
    try await ground.plan(texts, record)
    let sink = try TaskSink(.keyed)
    let run = try await ground.run(sink, named: "helper") { $0.rate = 40 }
    let start = HostLoop.uptime
    let helping = HostActor.task { try await run.run() }
    while sink.arrivals.count < 20 { try await HostLoop.shared.sleep(seconds: 0.05) }
    // A second's worth may come at once.
    #expect(Double(sink.arrivals.count) <= 40 * (HostLoop.uptime - start) + 40)
    helping.cancel()
    _ = await helping.result
  }

  @Test("While a machine works on an import, nobody forgets it, and its options stay")
  func busy() async throws {
    let ground = try await SharedGround()
    let record = try await ground.imports.open(TaskSink.identity, place: [:], options: ["retries": 7], rate: 5)
    let worker = WorkerIdentity(machine: "other", process: 9, boot: "boot", version: "test")
    _ = try await ground.imports.register(worker, on: record.id, seconds: 60, now: 0)
    let message = await ground.sentence { try await ground.imports.forget(record.id) }
    #expect(message.hasPrefix("the machine other works on this import in "), "\(message)")
    let joined = try await ground.imports.open(TaskSink.identity, place: [:], options: ["retries": 1], rate: nil)
    #expect(joined.isJoined && joined.options["retries"] == 7 && joined.rate == 5)
    let faster = try await ground.imports.open(TaskSink.identity, place: [:], options: [:], rate: 50)
    #expect(faster.rate == 50 && faster.options["retries"] == 7)
    try await ground.imports.unregister(worker.id)
    let alone = try await ground.imports.open(TaskSink.identity, place: [:], options: ["retries": 1], rate: nil)
    #expect(!alone.isJoined && alone.options["retries"] == 1 && alone.rate == nil)
  }

  @Test(
    "Options that cannot be leave the usual ones",
    arguments: [
      #"{"retries": 1e300, "wait": -1e300, "max_failures": 1e300}"#, #"{"concurrency": [1, 9223372036854775807]}"#,
      #"{"concurrency": [0, -1]}"#, #"{"retries": "many"}"#, "[]",
    ])
  func options(text: String) throws {
    let options = ImportOptions(shared: try JSON(parsing: text))
    #expect(options.concurrency == ImportOptions().concurrency)
    #expect((0...(1 << 31)).contains(options.retries))
  }
}
