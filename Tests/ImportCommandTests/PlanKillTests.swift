import CommandLineSupport
import Foundation
import JSON
import Testing

/// Plans that are carried out and taken back while the program is killed at each request, and while others change tasks.
@Suite struct PlanKillTests {
  private static let list = """
    Nr,Title,Due,Notes
    1,Milk,2027-01-31,two litres
    2,Bread,2027-02-01,
    3,Salt,,
    4,Oil,,from the market
    5,Tea,2027-02-03,

    """
  /// The tasks of this list.
  private static let tasks: [[String: JSON]] = [
    ["Key": "1", "Text": "Milk", "Due": "2027-01-31", "Notes": "two litres"],
    ["Key": "2", "Text": "Bread", "Due": "2027-02-01"], ["Key": "3", "Text": "Salt"],
    ["Key": "4", "Text": "Oil", "Notes": "from the market"], ["Key": "5", "Text": "Tea", "Due": "2027-02-03"],
  ]
  private static let changed = """
    Nr,Title,Due,Notes
    1,Milk,2027-01-31,three litres
    2,Brown bread,2027-02-01,
    3,Salt,,
    6,Rice,,
    7,Beans,2027-02-05,

    """

  private func read(_ tenant: RunningTenant, _ name: String) throws -> String {
    try String(contentsOf: tenant.program.folder.appending(path: name), encoding: .utf8)
  }

  /// As on another machine, or before the first run.
  private func forgetJournals(_ tenant: RunningTenant) throws {
    let folder = tenant.program.folder.appending(path: ".local/state/b2c-run/imports")
    if FileManager.default.fileExists(atPath: folder.path) { try FileManager.default.removeItem(at: folder) }
  }

  @Test(arguments: [true, false])
  func aKillAtAnyRequestIsSurvived(hasTags: Bool) throws {
    let server = try ChangingTaskServer(hasTags: hasTags)
    let tenant = try RunningTenant(for: server)
    try tenant.program.write("list.csv", Self.changed)
    server.reset(Self.tasks)
    // The plan of each round: the tasks are the same again.
    let plan = try tenant.program.run("import", "list.csv", "--key", "Nr", "--delete-missing", "--plan", "p.json")
    #expect(plan.status == 0, "\(plan)")
    var round = 0
    var wasKilled = true
    while wasKilled {
      round += hasTags ? 1 : 3
      // Each request is cut off before and after it was carried out.
      let kill = ChangingTaskServer.Kill(request: (round + 1) / 2, isAfter: round % 2 == 0)
      try forgetJournals(tenant)
      func run(_ words: String...) throws -> Program.Result {
        try tenant.program.run(list: words)
      }
      func killed(_ words: String...) throws -> Bool {
        let process = try tenant.program.start(list: words)
        server.kill(process.processIdentifier, at: kill)
        process.waitUntilExit()
        server.kill(0, at: nil)
        return process.terminationReason == .uncaughtSignal
      }
      server.reset(Self.tasks)
      let before = server.tasks
      wasKilled = try killed("import", "--apply", "p.json")
      let applied = try run("import", "--apply", "p.json", "--receipt", "r.csv", "--report", "j.json")
      #expect(applied.status == 0, "\(kill): \(applied)")
      let texts = ["Beans|2027-02-05|", "Brown bread|2027-02-01|", "Milk|2027-01-31|three litres", "Rice||", "Salt||"]
      #expect(server.tasks == texts, "\(kill)")
      #expect(try read(tenant, "r.csv").split(separator: "\n").count == 1 + 5 + 2)
      let report = try JSON(parsing: read(tenant, "j.json"))
      #expect(report["counts"] == ["created": 2, "changed": 2, "removed": 2, "same": 1], "\(kill)")

      let id = report["id"]?.string ?? ""
      wasKilled = try killed("imports", "undo", id, "--apply") || wasKilled
      let undone = try run("imports", "undo", id, "--apply", "--report", "u.json")
      #expect(undone.status == 0, "\(kill): \(undone)")
      #expect(server.tasks == before, "\(kill)")
      #expect(try JSON(parsing: read(tenant, "u.json"))["counts"] == ["reversed": 6], "\(kill)")
      #expect(server.blind.isEmpty, "\(kill): \(server.blind)")
    }
    #expect(round > 12)
  }

  @Test(arguments: [true, false])
  func changesOfOthersStay(hasTags: Bool) throws {
    let server = try ChangingTaskServer(hasTags: hasTags)
    let tenant = try RunningTenant(for: server)
    try tenant.program.write("list.csv", Self.list)
    #expect(try tenant.program.run("import", "list.csv", "--key", "Nr").status == 0)
    try tenant.program.write("list.csv", Self.changed)
    let plan = try tenant.program.run("import", "list.csv", "--key", "Nr", "--delete-missing", "--plan", "p.json")
    #expect(plan.status == 0, "\(plan)")
    server.change("Milk", ["Notes": "no milk today"])
    server.change("Oil", ["Due": "2027-03-01"])
    server.remove("Bread")
    server.change("Red rice", ["Key": "6"])
    let applied = try tenant.program.run("import", "--apply", "p.json", "--report", "j.json")
    #expect(applied.status == 5, "\(applied)")
    #expect(
      applied.output.contains(
        "conflict  row 1 (line 2) \"Milk\": somebody has changed the task since: notes was \"two litres\" and is \"no milk today\""
      ),
      "\(applied)")
    #expect(
      applied.output.contains("conflict  row 2 (line 3) \"Brown bread\": the task is not there any more"), "\(applied)")
    #expect(
      applied.output.contains(
        "conflict  row 4 (line 5) \"Rice\": somebody has added a task with the key 6 since the plan was made: \"Red rice\""
      ),
      "\(applied)")
    #expect(server.tasks.contains("Milk|2027-01-31|no milk today"))
    #expect(server.tasks.contains("Oil|2027-03-01|from the market"))
    #expect(!server.tasks.contains("Rice||"))
    let id = try JSON(parsing: read(tenant, "j.json"))["id"]?.string ?? ""
    server.change("Beans", ["Completed": true])
    let undone = try tenant.program.run("imports", "undo", id, "--apply")
    #expect(undone.status == 5, "\(undone)")
    #expect(undone.output.contains("\"Beans\": somebody has completed it since"), "\(undone)")
    // Tea was removed by the plan, and is back.
    #expect(server.tasks.contains("Tea|2027-02-03|"))
    #expect(server.blind.isEmpty, "\(server.blind)")
  }

  @Test func aPlanIsCarriedOutAsItWasMadeOrNotAtAll() throws {
    let server = try ChangingTaskServer()
    let tenant = try RunningTenant(for: server)
    try tenant.program.write("list.csv", Self.list)
    #expect(try tenant.program.run("import", "list.csv", "--key", "Nr", "--plan", "p.json").status == 0)
    let text = try read(tenant, "p.json")
    let requests = server.requests
    try tenant.program.write("q.json", text.replacing("two litres", with: "ten litres"))
    let changed = try tenant.program.run("import", "--apply", "q.json")
    #expect(changed.status == 1)
    #expect(changed.errors.contains("q.json has been changed since it was written"), "\(changed)")
    #expect(server.requests == requests)

    try tenant.signIn("bob", "Skyscraper-2")
    let other = try tenant.program.run(
      "-A", "-e",
      "b2c.tasks.apply('p.json', { account = b2c.accounts.get 'Bob Baumeister' })")
    #expect(other.status == 1)
    #expect(other.errors.contains("is for the account Alice"), "\(other)")
    #expect(server.requests == requests)

    // The source is not needed, and twice adds nothing.
    try FileManager.default.removeItem(at: tenant.program.folder.appending(path: "list.csv"))
    for _ in 1...2 {
      let applied = try tenant.program.run("import", "--apply", "p.json")
      #expect(applied.status == 0, "\(applied)")
      #expect(server.tasks.count == 5)
    }
    // At once on two machines, whose journals are their own.
    try forgetJournals(tenant)
    let elsewhere = try tenant.program.run("import", "--apply", "p.json")
    #expect(server.tasks.count == 5, "\(elsewhere)")
  }
}
