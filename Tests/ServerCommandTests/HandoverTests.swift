import CommandLineSupport
import Foundation
import Testing

/// A machine ends while its runs go on: another one plans at once.
@Suite("the end of one of several machines")
struct HandoverTests {
  /// Goes on until there is the file `gate/open`.
  private static let slow = """
    -- needs: --allow-read=gate
    local b2c = require "b2c"
    local run = b2c.job { on = { webhook = "/slow", scheme = "none" }, overlap = { parallel = 3, queue = 10 } }
    print("begun")
    io.stdout:flush()
    run.step("before", function() return 1 end)
    while not io.open("gate/open") do b2c.async.sleep(0.05) end
    run.state.seen = (run.state.seen or 0) + run.step("after", function() return 2 end)
    if run.event.query.sleeps then run.sleep("1h") end
    print("ended")
    """
  private static let again = """
    { on = { webhook = "/again", scheme = "none" }, interrupted = "again" }
    print("attempt", run.attempt)
    io.stdout:flush()
    if run.attempt == 1 then b2c.async.sleep(600) end
    """
  private static let tick = """
    { on = { every = "1s" }, overlap = "queue", catch_up = "all" }
    """

  private func machines(drain: String = "300") throws -> (RunningMachines, RunningServer, RunningServer) {
    let machines = try RunningMachines(["slow": Self.slow, "again": Self.again, "tick": Self.tick])
    for machine in ["north", "south"] { try machines.make(machine).program.write("gate/closed", "") }
    #expect(try machines.run("north", "jobs", "allow", "slow", "--yes").status == 0)
    let north = try machines.start("north", options: ["--drain", drain])
    try north.wait(for: "this machine, north, plans the jobs")
    let south = try machines.start("south")
    try south.wait(for: "the machine north plans the jobs; this one, south, stands by")
    return (machines, north, south)
  }

  @Test("lets another machine plan at once, and its runs end as they would have")
  func drains() throws {
    let (machines, north, south) = try machines()
    for query in ["", "?sleeps=1"] { #expect(try machines.hook("north", "/slow\(query)") == "Accepted.\n202") }
    try machines.wait(for: "2", from: "SELECT count(*) FROM step WHERE name = 'before'")
    north.signal(SIGTERM)
    try north.wait(for: "stopping; waits up to 5 min for slow run ")
    try south.wait(for: "this machine, south, plans the jobs")
    // Due times go on, and so do the runs of the other machine.
    let last = try machines.sql("SELECT max(id) FROM run")
    try machines.wait(for: "t", from: "SELECT count(*) > 1 FROM run WHERE id > \(last) AND state = 'ok'")
    #expect(north.isRunning)
    #expect(try machines.sql("SELECT DISTINCT state, machine FROM run WHERE job = 'slow'") == "started|north")
    #expect(try machines.curl("south", "/api/machines").contains("\"state\":\"draining\""))
    let before = try machines.run(
      "south", "jobs", "log", try machines.sql("SELECT min(id) FROM run WHERE job = 'slow'"))
    #expect(before.status == 1 && before.errors.contains("continues on the machine north"), "\(before)")
    try north.program.write("gate/open", "")
    try machines.wait(
      for: "asleep|north\nok|north", from: "SELECT state, machine FROM run WHERE job = 'slow' ORDER BY 1")
    #expect(north.waitForEnd() == 0)
    #expect(try machines.sql("SELECT count(*) FROM step WHERE name = 'after' AND result = '2'") == "2")
    #expect(try machines.sql("SELECT memory FROM job WHERE name = 'slow'").contains("\"seen\":"))
    let id = try machines.sql("SELECT id FROM run WHERE job = 'slow' AND state = 'ok'")
    let log = try machines.run("south", "jobs", "log", id)
    #expect(log.status == 0 && log.output == "begun\nended\n", "\(log)")
    #expect(try machines.curl("south", "/api/runs/\(id)/log") == "begun\nended\n")
    // Each second has one row, and each row one run.
    #expect(
      try machines.sql(
        "SELECT count(*) FROM (SELECT due - lag(due) OVER (ORDER BY due) AS step FROM run WHERE job = 'tick') s WHERE step <> 1000"
      ) == "0", "\(machines.logs)")
    #expect(try machines.sql("SELECT count(*) FROM run WHERE attempt > 1 OR event LIKE '%caught_up%'") == "0")
    #expect(try machines.sql("SELECT count(*) FROM inbox") == "0")
    #expect(try machines.sql("SELECT name FROM machine") == "south")
  }

  @Test("interrupts what does not end in time; the log of each attempt is there on each machine")
  func interrupts() throws {
    let (machines, north, south) = try machines(drain: "0.5")
    #expect(try machines.hook("north", "/again") == "Accepted.\n202")
    try machines.wait(for: "1", from: "SELECT count(*) FROM run WHERE state = 'started' AND job = 'again'")
    #expect(north.end() == 0)
    try machines.wait(for: "ok|2|south", from: "SELECT state, attempt, machine FROM run WHERE job = 'again'")
    let id = try machines.sql("SELECT id FROM run WHERE job = 'again'")
    for machine in ["south", "north"] {
      let log = try machines.run(machine, "jobs", "log", id)
      #expect(log.output == "attempt\t1\nattempt\t2\n", "\(log)")
      #expect(log.errors.contains("attempt 1, on the machine north"), "\(log)")
      #expect(log.errors.contains("attempt 2, on the machine south"), "\(log)")
    }
    let page = try machines.curl("south", "/runs/\(id)")
    #expect(page.contains("attempt 1, on the machine north") && page.contains("attempt\t2"), "\(page)")
    #expect(south.end() == 0)
  }

  @Test("ends a run by a command; if the machine dies meanwhile, its runs are interrupted")
  func cancels() throws {
    let (machines, north, south) = try machines()
    for _ in 1...2 { #expect(try machines.hook("north", "/slow") == "Accepted.\n202") }
    try machines.wait(for: "2", from: "SELECT count(*) FROM step WHERE name = 'before'")
    north.signal(SIGTERM)
    try south.wait(for: "this machine, south, plans the jobs")
    let ids = try machines.sql("SELECT id FROM run WHERE job = 'slow' ORDER BY id").split(separator: "\n").map(
      String.init)
    #expect(try machines.run("south", "jobs", "cancel", ids[0]).status == 0)
    try machines.wait(for: "canceled", from: "SELECT state FROM run WHERE id = \(ids[0])")
    #expect(north.isRunning)
    north.end(SIGKILL)
    try machines.wait(for: "interrupted", from: "SELECT state FROM run WHERE id = \(ids[1])")
    let log = try machines.run("south", "--quiet", "jobs", "log", ids[1])
    #expect(log.status == 1)
    #expect(log.errors.contains("the log of the run \(ids[1]) is on the machine north"), "\(log)")
    #expect(log.errors.contains("hint: on north: b2c-run --store postgresql://"), "\(log)")
    let answer = try machines.curl("south", "/api/runs/\(ids[1])/log", port: "the jobs are at", "-w", "%{http_code}")
    #expect(answer.contains("on the machine north") && answer.hasSuffix("404"), "\(answer)")
    #expect(try machines.curl("south", "/api/machines").contains("\"running\":0"))
    let json = try machines.run("south", "jobs", "log", ids[0], "--json")
    #expect(json.output.contains("\"text\":\"begun\\n\""), "\(json)")
  }

  @Test("answers and tells while no machine plans")
  func waits() throws {
    let (machines, north, south) = try machines()
    north.signal(SIGSTOP)
    #expect(try machines.hook("south", "/again") == "Accepted.\n202")
    let received = try machines.sql("SELECT received FROM inbox WHERE kind = 'hook'")
    // Also without a folder of jobs.
    let other = try Program()
    try machines.giveKey(to: other)
    let run = try other.run(list: ["--store", machines.address, "jobs", "run", "tick"])
    #expect(run.status == 0, "\(run)")
    #expect(run.errors.contains("; waits up to 60 s"), "\(run)")
    #expect(run.errors.contains("b2c-run --store \(machines.address.split(separator: "?")[0])"), "\(run)")
    try machines.wait(for: received, from: "SELECT created FROM run WHERE job = 'again'")
    for words in [["jobs"], ["jobs", "runs"], ["jobs", "show", "tick"], ["jobs", "next", "tick"]] {
      let result = try other.run(list: ["--store", machines.address] + words)
      #expect(
        result.status == 0 && result.output.contains(words.contains("next") ? "every 1s" : "tick"), "\(words) \(result)"
      )
    }
    let serve = try other.run(list: ["serve", "nosuchfolder"])
    #expect(serve.errors.contains("there is no folder nosuchfolder"), "\(serve)")
    #expect(!serve.errors.contains("--folder"), "\(serve)")
    #expect(south.isRunning)
    north.end(SIGKILL)
  }

  @Test("tells that the scripts of a machine differ from those that are planned")
  func differs() throws {
    let (_, _, south) = try machines()
    try south.write("other", Self.tick)
    south.signal(SIGHUP)
    try south.wait(for: "this machine stands by, and runs its 4 jobs only when it plans")
    try south.wait(for: "this machine has other scripts than the machine that plans (other)")
    try FileManager.default.removeItem(at: south.program.folder.appending(path: "jobs/other.lua"))
    south.signal(SIGHUP)
    try south.wait(for: "this machine has the same jobs as the machine that plans again")
  }
}
