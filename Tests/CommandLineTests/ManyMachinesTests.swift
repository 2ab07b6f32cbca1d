import Foundation
import HostLoop
import JSON
import TestSupport
import Testing

/// Several `b2c-run serve` on one database. A machine that says nothing for three seconds is dead.
@Suite("serve on several machines")
struct ManyMachinesTests {
  /// Both wait until they are told to end by a request, or ten minutes.
  private static let slow = """
    { on = { webhook = "/slow", scheme = "none" } }
    print("begun", run.attempt)
    if run.attempt == 1 then b2c.async.sleep(600) end
    """
  private static let again = """
    { on = { webhook = "/again", scheme = "none" }, interrupted = "again" }
    if run.attempt == 1 then b2c.async.sleep(600) end
    """
  private static let tick = """
    { on = { every = "1s" }, overlap = "queue", catch_up = "all" }
    """

  @Test("goes on when the machine that plans is killed: each due time once, runs interrupted or repeated")
  func killed() throws {
    let machines = try RunningMachines(["slow": Self.slow, "again": Self.again, "tick": Self.tick])
    let north = try machines.start("north")
    try north.wait(for: "this machine, north, plans the jobs")
    let south = try machines.start("south")
    try north.wait(for: "tick run")
    #expect(try machines.hook("north", "/slow") == "Accepted.\n202")
    #expect(try machines.hook("south", "/again") == "Accepted.\n202")
    try machines.wait(for: "2", from: "SELECT count(*) FROM run WHERE state = 'started' AND job <> 'tick'")
    #expect(!south.text.contains("this machine, south, plans"))
    north.end(SIGKILL)
    try south.wait(for: "this machine, south, plans the jobs")
    try machines.wait(for: "interrupted|1|north", from: "SELECT state, attempt, machine FROM run WHERE job = 'slow'")
    try machines.wait(for: "ok|2|south", from: "SELECT state, attempt, machine FROM run WHERE job = 'again'")
    // It comes back with its name, although it did not say goodbye.
    try machines.start("north")
    #expect(try machines.curl("north", "/api/machines").contains("\"state\":\"standing by\""))
    #expect(south.end() == 0)
    try north.wait(for: "this machine, north, plans the jobs")
    try north.wait(for: "tick run")
    #expect(north.end() == 0)
    // Each second has one row, and each row one run.
    #expect(
      try machines.sql(
        "SELECT count(*) FROM (SELECT due - lag(due) OVER (ORDER BY due) AS step FROM run WHERE job = 'tick') s WHERE step <> 1000"
      ) == "0", "\(machines.logs)")
    #expect(try machines.sql("SELECT count(*) FROM run WHERE job = 'tick' AND attempt > 1") == "0")
    #expect(try machines.sql("SELECT count(*) FROM machine") == "0")
  }

  @Test("takes requests and commands at any machine, once")
  func anyMachine() throws {
    let machines = try RunningMachines([
      "order": "{ on = { webhook = '/order', scheme = 'none' } }\nprint('one of', run.event.body)",
      "wait":
        "{ on = { start = true } }\nlocal r = run.wait_for { webhook = '/approve', timeout = '1h' }\nprint('got', r.body)",
    ])
    let north = try machines.start("north")
    try north.wait(for: "wait run 1: waits")
    let south = try machines.start("south")
    #expect(try machines.hook("south", "/order") == "Accepted.\n202")
    try machines.wait(for: "ok|north", from: "SELECT state, machine FROM run WHERE job = 'order'")
    #expect(try machines.hook("south", "/nothing").hasSuffix("404"))
    #expect(try machines.hook("south", "/approve") == "Accepted.\n202")
    try machines.wait(for: "ok", from: "SELECT state FROM run WHERE job = 'wait'")
    // By the socket of the machine that stands by, by the database, and by a page.
    #expect(try south.jobs("run", "order").output == "run 3\n")
    let elsewhere = try south.program.run(
      list: ["--store", machines.address, "jobs", "pause", "order", "--state", "elsewhere"])
    #expect(elsewhere.status == 0, "\(elsewhere)")
    #expect(try machines.curl("south", "/api/jobs/order").contains("\"state\":\"paused\""))
    #expect(
      try machines.curl("south", "/api/jobs/order/resume", "-d", "{}", "-H", "Content-Type: application/json")
        .contains("\"ok\":true"))
    try machines.wait(for: "ok", from: "SELECT state FROM run WHERE id = 3")
    #expect(try south.jobs("run", "ordre").errors.contains("there is no job ordre"))
    #expect(try machines.curl("south", "/runs/3").contains("one of"))
    #expect(try machines.curl("north", "/runs/3").contains("one of"))
    let metrics = try machines.curl("south", "/metrics")
    #expect(metrics.contains("b2c_run_machine_state{machine=\"north\",state=\"planning\"} 1"), "\(metrics)")
    #expect(metrics.contains("b2c_run_machine_state{machine=\"south\",state=\"standing by\"} 1"))
    #expect(try machines.sql("SELECT count(*) FROM inbox") == "0")
    #expect(try machines.sql("SELECT count(*) FROM run WHERE job = 'order'") == "2")
  }

  @Test("fences a machine that was paused for longer than its lease")
  func paused() throws {
    let machines = try RunningMachines(["again": Self.again, "tick": Self.tick])
    let north = try machines.start("north")
    try north.wait(for: "this machine, north, plans the jobs")
    let south = try machines.start("south")
    #expect(try machines.hook("north", "/again") == "Accepted.\n202")
    try machines.wait(for: "1", from: "SELECT count(*) FROM run WHERE state = 'started' AND job = 'again'")
    north.signal(SIGSTOP)
    try south.wait(for: "this machine, south, plans the jobs")
    try machines.wait(for: "ok|2|south", from: "SELECT state, attempt, machine FROM run WHERE job = 'again'")
    let last = try machines.sql("SELECT max(id) FROM run")
    north.signal(SIGCONT)
    try north.wait(for: "another machine plans the jobs now; this one ends its runs and stands by")
    try machines.wait(for: "t", from: "SELECT count(*) > 2 FROM run WHERE id > \(last) AND state = 'ok'")
    #expect(try machines.sql("SELECT count(*) FROM run WHERE id > \(last) AND machine = 'north'") == "0")
    #expect(try machines.sql("SELECT count(*) FROM run WHERE job = 'tick' AND attempt > 1") == "0")
    // The process of its run has ended.
    let left = try north.program.run(
      list: ["-f", north.program.folder.lastPathComponent + ".*again.lua"], executable: URL(filePath: "/usr/bin/pgrep"))
    #expect(left.output.isEmpty, "\(left)")
  }

  @Test("waits while the database is away, and loses nothing")
  func away() throws {
    let machines = try RunningMachines(
      [
        "steps": """
        { on = { webhook = "/steps", scheme = "none" } }
        print("begun")
        b2c.async.sleep(2)
        local n = run.step("one", function() return 7 end)
        print("step", n)
        """
      ], database: PostgresServer())
    let north = try machines.start("north")
    try north.wait(for: "this machine, north, plans the jobs")
    #expect(try machines.hook("north", "/steps") == "Accepted.\n202")
    try north.wait(for: "steps run 1: started")
    try machines.database.crash()
    try north.wait(for: "the database is away; runs go on, and what they say waits")
    let refused = try machines.curl("north", "/steps", port: "receiving webhooks", "-i", "-d", "x")
    #expect(refused.hasPrefix("HTTP/1.1 503"), "\(refused)")
    #expect(refused.contains("Retry-After: 30"))
    #expect(try machines.curl("north", "/").contains("The database is away."))
    usleep(5_000_000)
    try machines.database.start()
    try north.wait(for: "the database is back")
    try north.wait(for: "steps run 1: ok")
    #expect(north.text.components(separatedBy: "the database is away").count == 2, "\(north.text)")
    #expect(try machines.sql("SELECT result FROM step") == "7")
    // It also ends while the database is away.
    try machines.database.crash()
    try north.wait(for: "the database is away", times: 2)
    #expect(north.end(SIGINT) == 0)
  }

  @Test("refuses a second machine of one name, tables of a newer program, and a machine without a database")
  func refused() throws {
    let machines = try RunningMachines(["idle": "{ on = { every = '1h' } }"])
    let north = try machines.start("north")
    try north.wait(for: "this machine, north, plans the jobs")
    let other = try RunningServer(machines.jobs, isStarted: false).program
    let second = try other.run("--store", machines.address, "serve", "--machine", "north")
    #expect(second.status == 1)
    #expect(second.errors.contains("a machine named north serves postgresql://"), "\(second)")
    #expect(second.errors.contains("hint: give this one another name: serve --machine NAME"), "\(second)")
    let alone = try other.run("serve", "--machine", "north")
    #expect(alone.errors.contains("serve: --machine names one of several machines"), "\(alone)")
    try machines.sql("UPDATE schema_version SET version = 9 WHERE part = 'jobs'")
    let newer = try other.run("--store", machines.address, "serve", "--machine", "south")
    #expect(newer.status == 1)
    #expect(newer.errors.contains("the tables of jobs in"), "\(newer)")
    #expect(newer.errors.contains("have version 9, made by a newer b2c-run; this one knows version 2"), "\(newer)")
  }

  /// An expression for the words of a page that are on two lines.
  private static let brokenWords = """
    (() => {
      const broken = [], walk = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
      while (walk.nextNode()) {
        for (const word of walk.currentNode.data.matchAll(/[A-Za-z]+/g)) {
          const range = document.createRange();
          range.setStart(walk.currentNode, word.index);
          range.setEnd(walk.currentNode, word.index + word[0].length);
          if (new Set([...range.getClientRects()].map(place => place.top)).size > 1) broken.push(word[0]);
        }
      }
      return broken.join(" ");
    })()
    """

  @Test("shows the machines in a browser")
  @HostActor func pages() async throws {
    let machines = try RunningMachines([
      "idle": "{ on = { every = '1h' } }", "hook": "{ on = { webhook = '/hooks/orders', secret = 'orders' } }",
      "fails": "{ on = { every = '30d' } }\nerror('nothing renews the subscription of the customer')",
    ])
    let north = try machines.start("north")
    try north.wait(for: "this machine, north, plans the jobs")
    let south = try machines.start("south")
    #expect(try machines.run("south", "jobs", "run", "fails").status == 0)
    #expect(try machines.hook("south", "/hooks/orders").hasSuffix("503"))
    let site = "http://localhost:\(try south.port("the jobs are at"))"
    #expect(try machines.run("south", "jobs", "run", "idle").status == 0)
    try machines.wait(for: "failed\nok", from: "SELECT state FROM run ORDER BY id")
    try await WebBrowser.with { browser in
      for (width, isDark) in [(1280, false), (390, true)] {
        try await browser.show(width: width, isDark: isDark)
        try await browser.open("\(site)/machines")
        let text = try await browser.text("main")
        #expect(text.contains("north") && text.contains("planning"), "\(text)")
        #expect(text.contains("south") && text.contains("standing by"))
        #expect(text.contains("this one"))
        for page in ["machines", "runs", "webhooks", "accounts", "jobs/idle", "runs/1"] {
          try await browser.open("\(site)/\(page)")
          #expect(
            try await browser.evaluate("document.documentElement.scrollWidth <= innerWidth").bool == true, "\(page)")
          #expect(try await browser.evaluate(Self.brokenWords).string == "", "\(page) at \(width)")
        }
        try await browser.open("\(site)/runs")
        #expect(try await browser.text("main").contains("Machine") == (width == 1280))
        #expect(try await browser.text("main").contains("north"))
        // Nothing is out of sight.
        let overflow = "[...document.querySelectorAll('.wide')].every(e => e.scrollWidth <= e.clientWidth)"
        #expect(try await browser.evaluate(overflow).bool == true, "\(width)")
        try await browser.open("\(site)/webhooks")
        #expect(try await browser.text("main").contains("Last requests to the machine south"))
      }
    }
  }

  @Test("warns of a clock that is more than a minute off")
  func clocks() throws {
    let machines = try RunningMachines(["idle": "{ on = { every = '1h' } }"])
    let north = try machines.start("north")
    try north.pass(hours: 0.1)
    try north.wait(for: "the clock of this machine is 360 s ahead of that of the database")
    try north.pass(hours: -0.1)
    try north.wait(for: "the clock of this machine is right again")
  }
}
