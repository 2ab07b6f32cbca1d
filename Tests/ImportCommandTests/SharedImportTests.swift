import CommandLineSupport
import Foundation
import TestSupport
import Testing

/// Imports of several machines, as processes of the program with a real PostgreSQL and the local tenant.
@Suite("Imports of several machines, on the command line")
struct SharedImportTests {
  private let tenant: RunningTenant
  private let store: [String]
  private let database: String
  private var program: Program { tenant.program }

  init() throws {
    tenant = try RunningTenant()
    let server = try PostgresServer.shared
    database = try server.makeDatabase()
    store = ["--store", server.address(database)]
    let signedIn = try tenant.program.run(list: store + ["-e", Self.signIn])
    #expect(signedIn.status == 0, "\(signedIn)")
  }

  private static let signIn =
    #"b2c.accounts.sign_in { agent = "headless", username = "alice", password = "Wonderland-1" }"#
  private static let lease = ["B2C_RUN_LEASE": "1"]

  private func run(_ words: String..., environment: [String: String] = lease) throws -> Program.Result {
    try program.run(list: store + words, environment: environment)
  }

  private func rows(_ count: Int) throws {
    try program.write("rows.csv", "Text\n" + (1...count).map { "task \($0)\n" }.joined())
  }

  /// The number of tasks with each text.
  private func tasks() throws -> [String: Int] {
    let result = try run("-e", "for task in b2c.tasks.each() do print(task.text) end")
    return result.output.split(separator: "\n").reduce(into: [:]) { $0[String($1), default: 0] += 1 }
  }

  /// Kills an import that is slow enough to be killed in the middle.
  private func killImporter() throws {
    let killed = try program.shell(
      """
      export B2C_RUN_LEASE=1
      "$0" --store "$1" import rows.csv --progress none --rate 200 &
      until "$0" --store "$1" imports | grep -q 'under way on 1 machine'; do sleep 0.1; done
      kill -9 $!
      wait $! || echo "killed"
      """, store[1])
    #expect(killed.output.hasSuffix("killed\n"), "\(killed)")
  }

  @Test("An import is in the database, and every machine sees it")
  func shared() throws {
    try rows(300)
    let imported = try run("import", "rows.csv")
    #expect(imported.status == 0 && imported.output.contains("added        300"), "\(imported)")
    let list = try run("imports")
    #expect(list.output.contains("finished") && list.output.contains("rows.csv"), "\(list)")
    let shown = try run("imports", "show", "rows.csv", "--json")
    #expect(shown.output.contains(#""blocks": 0"#) && !shown.output.contains("machines"), "\(shown)")
    let id = try #require(list.output.split(separator: "\n").dropFirst().first?.split(separator: " ").first)
    #expect(try run("imports", "show", String(id), "--json").output == shown.output)
    let again = try run("import", "rows.csv")
    #expect(again.errors.contains("all rows were imported earlier"), "\(again)")
    let forgotten = try run("imports", "forget", "rows.csv", "--yes")
    #expect(forgotten.status == 0, "\(forgotten)")
    #expect(try run("imports").errors.contains("there are no imports"))
    #expect(try tasks().count == 300)
  }

  @Test("After a kill, a repeated import goes on, and helpers find nothing left: each row once")
  func killed() throws {
    try rows(2000)
    try killImporter()
    let again = try run("import", "rows.csv")
    #expect(again.status == 0, "\(again)")
    let helper = try run("work", "--once", "--progress", "none")
    #expect(helper.status == 0, "\(helper)")
    let tasks = try tasks()
    #expect(tasks.count == 2000 && tasks.values.allSatisfy { $0 == 1 })
  }

  @Test("After Ctrl-C the import says how to go on, and its summary tells the tasks of earlier runs apart")
  func interrupted() throws {
    try rows(2000)
    let stopped = try program.shell(
      """
      "$0" --store "$1" import rows.csv --progress none --rate 400 > out 2>&1 &
      until "$0" --store "$1" imports | grep -q 'under way on 1 machine'; do sleep 0.1; done
      sleep 1
      kill -TERM $!
      wait $! || cat out
      """, store[1])
    #expect(stopped.output.contains("interrupted after"), "\(stopped)")
    #expect(stopped.output.contains("Import it again to continue: added rows are not sent again."), "\(stopped)")
    #expect(stopped.output.contains("journal") && stopped.output.contains("postgresql://"), "\(stopped)")
    let again = try run("import", "rows.csv", "--report", "report.json")
    #expect(again.status == 0 && again.output.contains("added before"), "\(again)")
    let report = try String(contentsOf: program.folder.appending(path: "report.json"), encoding: .utf8)
    #expect(report.contains(#""added": 2000"#) && !report.contains(#""added_before": 0"#), "\(report)")
    let tasks = try tasks()
    #expect(tasks.count == 2000 && tasks.values.allSatisfy { $0 == 1 })
  }

  @Test("An import that this machine began with its own journal is not begun in the database once more")
  func elsewhere() throws {
    try rows(30)
    #expect(try program.run("-e", Self.signIn).status == 0)
    #expect(try program.run("import", "rows.csv").status == 0)
    let refused = try run("import", "rows.csv")
    #expect(refused.status != 0 && refused.errors.contains("this machine's journal has 30 tasks added"), "\(refused)")
    #expect(refused.errors.contains("continue with the journal of this machine: --journal "), "\(refused)")
    #expect(try tasks().values.allSatisfy { $0 == 1 })
    #expect(try run("import", "rows.csv", "--resume", "no").status == 0)
    #expect(try tasks().values.allSatisfy { $0 == 2 })
  }

  @Test("The name of a machine is checked", arguments: ["", "a b", "é", String(repeating: "x", count: 64)])
  func names(name: String) throws {
    let result = try run("--machine", name, "work", "--once")
    #expect(result.status == 2, "\(result)")
    #expect(
      result.errors.contains("--machine: expected a name of 1 to 63 letters, digits, '.', '-' and '_'"), "\(result)")
  }

  @Test("Failed rows are written beside the source, and shown")
  func failures() throws {
    try program.write("rows.csv", "Text\na\n\" \"\nb\n")
    let imported = try run("import", "rows.csv")
    #expect(imported.status == 5 && imported.output.contains("failed"), "\(imported)")
    let failed = try String(contentsOf: program.folder.appending(path: "rows.csv.failed.ndjson"), encoding: .utf8)
    #expect(failed.contains(#""code":"empty_text""#))
    #expect(try run("imports", "show", "rows.csv", "--failed").output == failed)
  }

  @Test(
    "What needs a journal of this machine is refused with the way out",
    arguments: [
      (["--resume", "match"], "an import that several machines share cannot match a changed source"),
      (["--unsettled", "skip"], "it is not possible in an import that several machines share"),
    ])
  func refused(options: [String], message: String) throws {
    try rows(3)
    let result = try program.run(list: store + ["import", "rows.csv"] + options)
    #expect(result.status != 0 && result.errors.contains(message), "\(result)")
    #expect(result.errors.contains("--journal FILE"), "\(result)")
    let own = try program.run(list: store + ["import", "rows.csv", "--journal", "own.sqlite"] + options)
    #expect(own.status == 0, "\(own)")
  }

  @Test("work without a database, and for another task API, says what is missing")
  func work() throws {
    let none = try program.run("work", "--once")
    #expect(none.status != 0 && none.errors.contains("there is no database that machines share"), "\(none)")
    #expect(none.errors.contains("b2c-run --store postgresql://USER@HOST/NAME work"))
    try rows(3000)
    try killImporter()
    let other = try run("--set", "taskAPI=http://127.0.0.1:1", "work", "--once")
    #expect(other.errors.contains("this machine does not help with the import of rows.csv"), "\(other)")
    #expect(other.errors.contains("the settings of this machine name http://127.0.0.1:1/api/tasks"), "\(other)")
    #expect(other.errors.contains("give the settings of the import with --settings"), "\(other)")
    #expect(other.status != 0 && other.errors.contains("this machine can help with none of 1 import"), "\(other)")
  }

  @Test("An import that cannot go on keeps work from no other one, and work --once says that rows are left")
  func stopped() throws {
    let server = try PostgresServer.shared
    for name in ["damaged", "other"] {
      try program.write("\(name).csv", "Text\n" + (1...2000).map { "\(name) \($0)\n" }.joined())
      let words = ["import", "\(name).csv", "--progress", "none", "--rate", "200"]
      let importer = try program.start(list: store + words, environment: Self.lease)
      let planned = "SELECT count(planned) FROM import WHERE source LIKE '%\(name).csv'"
      // The first import makes the table.
      while (try? server.sql(planned, in: database))?.hasPrefix("1") != true { #expect(importer.isRunning) }
      kill(importer.processIdentifier, SIGKILL)
      importer.waitUntilExit()
    }
    let damage =
      "UPDATE block SET payload = '' FROM import WHERE id = import_id AND source LIKE '%damaged.csv' AND no = 15"
    try server.sql(damage, in: database)
    let helper = try run("work", "--once", "--progress", "none")
    #expect(helper.status != 0, "\(helper)")
    #expect(helper.errors.contains("1 block of the import of damaged.csv"), "\(helper)")
    #expect(helper.errors.contains("helping with the import of other.csv"), "\(helper)")
    #expect(helper.errors.contains("1 import stopped with rows that were not sent"), "\(helper)")
    #expect(try tasks().count { $0.key.hasPrefix("other") } == 2000)
  }

  @Test("Tables of a newer program are refused untouched")
  func newer() throws {
    try rows(3)
    #expect(try run("import", "rows.csv").status == 0)
    let server = try PostgresServer.shared
    let database = String(store[1].split(separator: "/").last ?? "")
    try server.sql("UPDATE schema_version SET version = 99 WHERE part = 'imports'", in: database)
    let refused = try run("import", "rows.csv")
    #expect(refused.status != 0 && refused.errors.contains("the tables of imports in "), "\(refused)")
    #expect(refused.errors.contains("have version 99, made by a newer b2c-run"), "\(refused)")
    #expect(refused.errors.contains("update b2c-run on this machine"), "\(refused)")
  }
}
