import CommandLineSupport
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
    try north.wait(for: "the database is away; runs continue, and their results wait")
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
    let stranger = try other.run("--store", machines.address, "serve", "--machine", "south")
    #expect(stranger.status == 1)
    #expect(
      stranger.errors.contains("this machine has no key for the accounts default in postgresql://"), "\(stranger)")
    #expect(stranger.errors.contains("b2c-run store key export FILE"), "\(stranger)")
    try machines.giveKey(to: other)
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
    #expect(newer.errors.contains("have version 9, made by a newer b2c-run; this one knows version 3"), "\(newer)")
  }

  @Test("believes nothing that somebody else writes into the database: no command, no permission, no file")
  func tampered() throws {
    let machines = try RunningMachines([
      "hello": """
      -- needs: --allow-env=HOME
      local b2c = require "b2c"
      local run = b2c.job { on = { webhook = "/hello", scheme = "none" } }
      print("home", os.getenv("HOME"))
      """
    ])
    let north = try machines.start("north")
    try north.wait(for: "this machine, north, plans the jobs")
    let mark = north.program.folder.appending(path: "mark").path
    let flags = "[\"-A\",\"-e\",\"print(os.execute([[id > \(mark)]]))\"]"
    for content in ["{\"op\":\"allow\",\"job\":\"hello\",\"flags\":\(flags)}", "{\"op\":\"run\",\"job\":\"hello\"}"] {
      try machines.sql(
        "INSERT INTO inbox (kind, job, content, machine, received) VALUES ('command', 'hello', '\(content)', 'evil', 0)"
      )
    }
    try north.wait(for: "a message in the name of the machine evil has not been sealed with the key of the machines")
    try machines.wait(for: "0", from: "SELECT count(*) FROM inbox")
    #expect(try machines.sql("SELECT count(*) FROM run") == "0")
    // A permission that nobody with the key has given.
    #expect(north.end() == 0)
    try machines.sql("UPDATE job SET allowed = '\(flags)', path = '/etc/hostname'")
    try machines.start("north")
    try north.wait(for: "nobody with the key of the machines has allowed the job hello what its row says")
    try north.wait(for: "the job hello is held: it needs --allow-env=HOME")
    #expect(try machines.hook("north", "/hello") == "Accepted.\n202")
    try machines.wait(for: "skipped", from: "SELECT state FROM run WHERE id = 1")
    // A person allows it on another machine, which has the key.
    let south = try machines.start("south")
    let allowed = try south.program.run("--store", machines.address, "jobs", "allow", "hello", "--yes")
    #expect(allowed.status == 0, "\(allowed)")
    #expect(try machines.hook("south", "/hello") == "Accepted.\n202")
    try machines.wait(for: "ok", from: "SELECT state FROM run WHERE id = 2")
    #expect(try machines.sql("SELECT permissions FROM run WHERE id = 2") == "[\"--allow-env=HOME\"]")
    #expect(!FileManager.default.fileExists(atPath: mark))
    // A file that the run has not attached.
    let key = north.program.folder.appending(path: "secret").path
    try Data("wonderland".utf8).write(to: URL(filePath: key))
    let digest = String(repeating: "0", count: 64)
    try machines.sql(
      "INSERT INTO attachment (run, title, path, machine, digest) VALUES (2, 'a', '\(key)', 'north', '\(digest)'), "
        + "(2, 'b', '/etc/hostname', 'north', NULL), (2, 'c', '/etc/os-release', 'south', '\(digest)')")
    for (number, text) in [
      (0, "the file is not the one that the run has attached"), (1, "not stored its digest"),
      (2, "the file is on the machine south"),
    ] {
      let page = try machines.curl("north", "/runs/2/files/\(number)")
      #expect(page.contains(text) && !page.contains("wonderland"), "\(page)")
    }
  }

  @Test("answers 400 to a long ID, and a script gets an error for a long name; the jobs go on")
  func longNames() throws {
    let machines = try RunningMachines([
      "tick": Self.tick,
      "long": """
      { on = { webhook = "/long", scheme = "github", secret = "s" } }
      local name = {}
      for i = 1, 6000 do name[i] = string.char(math.random(33, 126)) end
      local called = false
      local ok, problem = pcall(run.step, table.concat(name), function() called = true end)
      print(ok, called, problem)
      """,
    ])
    let north = try RunningServer(machines.jobs, isStarted: false).program
    #expect(try north.run("--store", machines.address, "secrets", "set", "s", input: "key").status == 0)
    let server = try machines.start("north", in: north)
    try server.wait(for: "this machine, north, plans the jobs")
    func send(_ id: String) throws -> String {
      let script = """
        import hashlib, hmac, sys, urllib.request, urllib.error
        sign = "sha256=" + hmac.new(b"key", b"{}", hashlib.sha256).hexdigest()
        request = urllib.request.Request(sys.argv[1], b"{}", {"X-Hub-Signature-256": sign, "X-GitHub-Delivery": sys.argv[2]})
        try: print(urllib.request.urlopen(request).status)
        except urllib.error.HTTPError as error: print(error.status, error.read().decode())
        """
      return try server.program.run(
        list: ["-c", script, "http://127.0.0.1:\(try server.port("receiving webhooks"))/long", id],
        executable: URL(filePath: "/usr/bin/python3")
      ).output
    }
    let id = String((0..<3500).map { _ in Character(Unicode.Scalar(UInt8.random(in: 0x41...0x7a))) })
    #expect(try send(id).hasPrefix("400 the ID of the request is 3500 bytes long, more than 500"))
    #expect(try send("short") == "202\n")
    try server.wait(for: "long run")
    try machines.wait(for: "ok", from: "SELECT state FROM run WHERE job = 'long'")
    let number = try machines.sql("SELECT id FROM run WHERE job = 'long'")
    let log = try server.program.run("--store", machines.address, "jobs", "log", number).output
    #expect(log.hasPrefix("false\tfalse\t") && log.contains("the name of the step is 6000 bytes long"), "\(log)")
    let last = try machines.sql("SELECT max(id) FROM run")
    try machines.wait(for: "t", from: "SELECT count(*) > 1 FROM run WHERE id > \(last) AND state = 'ok'")
    #expect(!server.text.contains("the jobs stand still"), "\(server.text)")
  }

  @Test("waits for a machine whose state folder it has, and refuses a copy of the folder")
  func copied() throws {
    let machines = try RunningMachines(["idle": "{ on = { every = '1h' } }"])
    let north = try machines.start("north")
    try north.wait(for: "this machine, north, plans the jobs")
    // As if on another host: the folder is the same, and the boot is not.
    try machines.sql("UPDATE machine SET folder = replace(folder, '/', '/other-')")
    let copy = try RunningServer(machines.jobs, isStarted: false).program
    let state = copy.folder.appending(path: ".local/state/b2c-run").path
    let copied = try copy.run(
      list: [
        "-c", "mkdir -p \(state) && cd $0/.local/state/b2c-run && tar c --exclude=socket . | tar x -C \(state)",
        north.program.folder.path,
      ],
      executable: URL(filePath: "/bin/sh"))
    #expect(copied.status == 0, "\(copied)")
    let jobs = "\(state)/jobs"
    let folder = try #require(try FileManager.default.contentsOfDirectory(atPath: jobs).first)
    let second = try copy.run(
      list: ["--store", machines.address, "serve", "--machine", "north", "--state", "\(jobs)/\(folder)"],
      environment: ["B2C_RUN_LEASE": "3"])
    #expect(second.status == 1)
    #expect(second.errors.contains("a machine with this name and state folder served on"), "\(second)")
    #expect(second.errors.contains("a machine named north serves postgresql://"), "\(second)")
    #expect(!north.text.contains("another machine plans"), "\(north.text)")
    // It has ended without a word, and its host has booted: the next one waits, and serves.
    north.end(SIGKILL)
    try machines.start("north")
    try north.wait(for: "this machine, north, plans the jobs")
    #expect(north.text.contains("a machine with this name and state folder served on"))
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
