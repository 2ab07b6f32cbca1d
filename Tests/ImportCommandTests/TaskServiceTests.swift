import CommandLineSupport
import Foundation
import Testing

/// Task services: real CalDAV servers, and stand-ins of services that exist on the Internet alone.
@Suite("Task services")
struct TaskServiceTests {
  private static let services = Program.project.appending(path: "Tests/Services").path

  /// Runs a command of bash with a service. `$0` is the program.
  func run(with kind: String, _ program: Program, _ command: [String]) throws -> Program.Result {
    try program.run(
      list: ["\(Self.services)/with_server.py", kind] + command, executable: URL(filePath: "/usr/bin/python3"))
  }

  private func isReal(_ kind: String) -> Bool { kind == "radicale" || kind == "xandikos" }

  func program(for kind: String) throws -> Program {
    let program = try Program()
    let (name, secret) = isReal(kind) ? ("caldav", "Wonderland-7") : (kind, "stand-in-token")
    #expect(try program.run("secrets", "set", name, input: secret).status == 0)
    #expect(try program.run("secrets", "set", "wrong", input: "another-one").status == 0)
    return program
  }

  @Test("hold their contract", arguments: ["radicale", "xandikos", "todoist", "microsoft", "github"])
  func contract(kind: String) throws {
    let program = try program(for: kind)
    let result = try run(
      with: kind, program,
      [
        Program.binary.path, "--allow-env=SERVICE_URL", "--allow-net=127.0.0.1",
        "--allow-secret=\(isReal(kind) ? "caldav" : kind),wrong", "\(Self.services)/contract.lua", kind,
      ])
    // A refused row is part of it, so the status is 5.
    #expect(result.output.hasSuffix("all hold\n"), "\(result)")
    #expect(!result.errors.contains("stand-in-token") && !result.errors.contains("Wonderland-7"))
  }

  @Test(
    "tasks as eighteen programs write them keep their times, zones and properties", arguments: ["radicale", "xandikos"])
  func corpus(kind: String) throws {
    let program = try program(for: kind)
    let result = try run(
      with: kind, program,
      [
        Program.binary.path, "--local=data", "--allow-env=SERVICE_URL", "--allow-net=127.0.0.1",
        "--allow-secret=caldav",
        "--allow-read=\(Self.services)", "\(Self.services)/corpus.lua", kind,
      ])
    #expect(result.status == 0 && result.output.hasSuffix("all hold\n"), "\(result)")
  }

  @Test("a time zone of a calendar that is lost is told and counted, and ends a strict import before its row")
  func lostZone() throws {
    let program = try Program(flags: ["--quiet", "--local=data"])
    let todos = ["One": "DUE:20270131T090000Z", "Two": "DUE;TZID=Nowhere:20270131T090000"].sorted { $0.key < $1.key }
    let lines = todos.map { "BEGIN:VTODO\r\nSUMMARY:\($0)\r\n\($1)\r\nEND:VTODO\r\n" }
    try program.write("x.ics", "BEGIN:VCALENDAR\r\n\(lines.joined())END:VCALENDAR\r\n")
    let told = "the time zone 'Nowhere' is not known; its times are read as times without a zone"
    let strict = try program.run("import", "x.ics", "--strict", "--concurrency", "1")
    #expect(strict.status == 1 && strict.errors.contains("row 2 (line 6): due: \(told)"), "\(strict)")
    #expect(try !program.run("tasks", "list").output.contains("Two"))
    try program.write(
      "r.lua",
      "local b2c = require 'b2c' b2c.tenant.sign_in() print(b2c.tasks.import('x.ics', { journal = false }).lost.due)")
    let read = try program.run("r.lua")
    #expect(read.status == 0 && read.errors.contains(told) && read.output == "1\n", "\(read)")
    // The file lost it, not the server.
    for dry in [["--dry-run"], []] {
      let report = try program.run(list: ["import", "x.ics", "--resume", "no"] + dry)
      #expect(report.output.contains("  due: \(told)") && !report.output.contains("answers"), "\(report)")
    }
  }

  @Test("days of Microsoft To Do are those of the mailbox, east and west, in winter and summer")
  func daysOfMailbox() throws {
    let program = try program(for: "microsoft")
    let result = try run(
      with: "microsoft", program,
      [
        Program.binary.path, "--allow-env=SERVICE_URL", "--allow-net=127.0.0.1", "--allow-secret=microsoft",
        "\(Self.services)/microsoft_days.lua",
      ])
    #expect(result.status == 0 && result.output == "all hold\n", "\(result)")
  }

  @Test("answers that are wrong are told, never end, go elsewhere or grow: each has its error")
  func hostile() throws {
    let program = try Program()
    for name in ["hostile", "caldav"] {
      #expect(try program.run("secrets", "set", name, input: "stand-in-token").status == 0)
    }
    let result = try run(
      with: "hostile", program,
      [
        Program.binary.path, "--allow-env=SERVICE_URL", "--allow-net=127.0.0.1,localhost", "--allow-secret=hostile",
        "\(Self.services)/hostile.lua",
      ])
    // Refused rows are a part of it.
    #expect(result.status == 5 && result.output.hasSuffix("all hold\n"), "\(result)")
    #expect(!result.errors.contains("stand-in-token"))
  }

  @Test(
    "a sync that is killed loses and doubles nothing, also with half lines in its journal", .drill,
    arguments: [("xandikos", "12"), ("todoist", "30"), ("microsoft", "30")])
  func syncDrill(kind: String, rows: String) throws {
    let program = try program(for: kind)
    let result = try run(
      with: kind, program,
      ["/usr/bin/python3", "\(Self.services)/sync_drill.py", Program.binary.path, kind, rows, "10"])
    #expect(result.status == 0 && result.output.contains("lost 0 doubled 0 alike yes"), "\(result)")
  }

  @Test("sync keeps two accounts alike, tells what a service does not keep, and refuses what would be a mistake")
  func syncAccounts() throws {
    let tenant = try RunningTenant()
    let program = tenant.program
    try program.write(
      "in.lua",
      """
      local b2c = require "b2c"
      b2c.accounts.sign_in { agent = "headless", username = "alice", password = "Wonderland-1" }
      b2c.tasks.add { text = "One", due = "2027-01-31T09:00[Europe/Berlin]", notes = "n" }
      b2c.tasks.add "Two"
      b2c.accounts.sign_in { agent = "headless", username = "bob", password = "Skyscraper-2" }
      b2c.tasks.add "Three"
      """)
    #expect(try program.run("in.lua").status == 0)
    func sync(_ words: String...) throws -> Program.Result { try program.run(list: ["--quiet", "sync"] + words) }
    let (alice, bob) = ("@Alice Liddell", "@Bob Baumeister")
    let applied = try sync(alice, bob, "--journal", "two.sync", "--apply")
    #expect(applied.output.hasSuffix("3 new, 0 changed, 0 removed, 0 conflicts, 0 failed\n"), "\(applied)")
    #expect(try sync(alice, bob, "--journal", "two.sync").output.hasPrefix("0 new, 0 changed, 0 removed"))
    #expect(try program.run("--quiet", "tasks", "list").output.contains("2027-01-31T09:00:00[Europe/Berlin]"))
    // The journal is of these two, and of one run at a time.
    #expect(try sync("tasks", bob, "--journal", "3.sync").errors.contains("A and B are the same account"))
    #expect(
      try sync(bob, alice, "--journal", "two.sync").errors.contains("two.sync is the journal of @Alice Liddell and"))
    try program.write("mine.csv", "Text\nBuy milk\n")
    #expect(
      try sync(alice, bob, "--journal", "mine.csv", "--apply").errors.contains("mine.csv is not a journal of sync"))
    #expect(try String(contentsOf: program.folder.appending(path: "mine.csv"), encoding: .utf8) == "Text\nBuy milk\n")
    #expect(try sync(alice, "@Nobody", "--journal", "3.sync").errors.contains("there is no account named 'Nobody'"))
    #expect(
      try sync(alice, "nowhere", "--journal", "3.sync").errors.contains("there is no task service named 'nowhere'"))
    try program.write(
      "locked.lua",
      "local f = io.open('two.sync', 'a+') f:lock() io.write('locked\\n') io.flush() os.execute 'sleep 600'")
    let locked = Process()
    (locked.executableURL, locked.currentDirectoryURL) = (Program.binary, program.folder)
    locked.arguments = ["-A", "locked.lua"]
    let output = Pipe()
    locked.standardOutput = output
    try locked.run()
    #expect(String(decoding: output.fileHandleForReading.availableData, as: UTF8.self) == "locked\n")
    let busy = try sync(alice, bob, "--journal", "two.sync", "--apply")
    #expect(busy.errors.contains("another run is working with two.sync"), "\(busy)")
    locked.terminate()
    locked.waitUntilExit()
    // A side that shows nothing does not empty the other one.
    #expect(try program.run("--quiet", "tasks", "remove", "1", "2", "3", "4", "5", "6", "--yes").status != 0)
    let ids = try program.run("--quiet", "tasks", "list").output.split(separator: "\n").dropFirst()
      .compactMap { $0.split(separator: " ").first.map(String.init) }
    #expect(try program.run(list: ["--quiet", "tasks", "remove", "--yes"] + ids).status == 0)
    let emptied = try sync(alice, bob, "--journal", "two.sync", "--apply")
    #expect(emptied.errors.contains("3 of 3 tasks are gone on one side"), "\(emptied)")
    #expect(try sync(alice, bob, "--journal", "two.sync", "--apply", "--many").output.contains("3 removed"))
  }

  @Test("sync tells the fields that the other side does not keep")
  func syncLoss() throws {
    let program = try program(for: "github")
    let script = """
      run="$0 --quiet --local=data --set services.github.url=$SERVICE_URL --set services.github.list=alice/tasks"
      $run tasks add One --due 2027-01-31 >/dev/null
      $run sync tasks github --journal a.sync
      """
    let result = try run(with: "github", program, ["/bin/bash", "-c", script, Program.binary.path])
    #expect(result.output.hasPrefix("+ b  One\n1 new"), "\(result)")
    #expect(result.errors.contains("b (github) does not keep due of 1 task"), "\(result)")
  }

  @Test(
    "an import that is killed loses and doubles nothing", .drill,
    arguments: [("xandikos", "120"), ("todoist", "300"), ("microsoft", "200"), ("github", "6")])
  func drill(kind: String, rows: String) throws {
    let program = try program(for: kind)
    let result = try run(
      with: kind, program,
      ["/usr/bin/python3", "\(Self.services)/drill.py", Program.binary.path, kind, rows, kind == "github" ? "3" : "6"])
    #expect(result.status == 0 && result.output.contains("lost 0 doubled 0 not completed 0"), "\(result)")
  }

  @Test(
    "a plan that is applied and undone with kills loses no edit of others and writes nothing blindly", .drill,
    arguments: [("tasks", "300"), ("radicale", "60"), ("xandikos", "100"), ("todoist", "300"), ("microsoft", "200")])
  func planDrill(kind: String, rows: String) throws {
    let drill = ["\(Self.services)/plan_drill.py", Program.binary.path, kind, rows, "10", "40"]
    let result =
      kind == "tasks"
      ? try Program().run(list: drill, executable: URL(filePath: "/usr/bin/python3"))
      : try run(with: kind, try program(for: kind), ["/usr/bin/python3"] + drill)
    #expect(
      result.status == 0 && result.output.contains("blind 0 lost 0 left 0 doubled 0 problems 0"), "\(result)")
  }

  @Test("an interrupted import tells each task that is there as added or unsettled, and the next run settles it")
  func interrupt() throws {
    let result = try run(
      with: "radicale", try program(for: "radicale"),
      ["/usr/bin/python3", "\(Self.services)/interrupt.py", Program.binary.path])
    #expect(result.status == 0 && result.output.hasSuffix("all hold\n"), "\(result)")
  }

  @Test("a list is given by its name, and nothing that is kept is told as lost")
  func listByName() throws {
    let script = """
      run="$0 --quiet --set services.caldav.url=$SERVICE_URL --set services.caldav.username=alice --set service=caldav"
      $run tasks add Milk --list Home --due 2027-01-31
      $run --allow-secret=caldav --allow-net=127.0.0.1 -e 'local t = b2c.tasks.list()[1] b2c.tasks.update(t, { list = "Home", priority = 1 })
        print(b2c.tasks.add({ text = "Part", parent = t.id }).text)'
      """
    let result = try run(
      with: "radicale", try program(for: "radicale"), ["/bin/bash", "-c", script, Program.binary.path])
    #expect(result.errors.isEmpty && result.output.hasSuffix("Part\n"), "\(result)")
  }

  @Test("what a service does not keep is told before the first row, and by a dry run, which sends nothing")
  func unkept() throws {
    let script = """
      printf 'Text,Due,Priority\\nOne,,1\\nTwo,2027-01-31,\\n' > in.csv
      printf '[{"text":"One"},{"text":"Two","start":"2027-01-31","due":"2027-01-31T09:00"}]' > in.json
      for service in github todoist microsoft; do
        for file in in.csv in.json; do
          $0 --set services.$service.url=$SERVICE_URL import $file --service $service --dry-run
          echo "$file $service $?"
        done
      done
      """
    let program = try program(for: "github")
    for name in ["todoist", "microsoft"] {
      #expect(try program.run("secrets", "set", name, input: "stand-in-token").status == 0)
    }
    let result = try run(with: "github", program, ["/bin/bash", "-c", script, Program.binary.path])
    for part in [
      "the service does not keep due, priority: that is lost", "the service does not keep due, start of row 2",
      "the service does not keep start of row 2", "the service does not keep due of row 2",
    ] { #expect(result.errors.contains(part), "\(result)") }
    for service in ["github", "todoist", "microsoft"] {
      #expect(result.output.contains("in.csv \(service) 0"), "\(result)")
    }
  }

  @Test(
    "the service of a plugin that breaks: waits hold every function, find with one key goes on, answers of others are no success"
  )
  func waitsOfPlugin() throws {
    let program = try Program(flags: ["--trust-plugins", "--quiet"])
    try program.write(
      "plugins/own.lua",
      """
      local made = {}
      local function limited() print "asked" error({ status = 429, retry_after = 600, message = "slow down" }, 0) end
      local function open()
        return {
          lists = limited, pages = limited, get = limited,
          find = function(key) assert(type(key) == "string") return made[key] end,
          create = function(batch)
            local results = {}
            for i, item in ipairs(batch) do
              local task = { id = item.key, text = item.task.text }
              if item.task.text == "lost" then
                made[item.key] = task
                results[i] = { error = { code = "unknown", message = "no answer" } }
              elseif item.task.text == "other" then results[i] = { task = { id = "x", text = "another" } }
              elseif item.task.text == "none" then results[i] = { task = { id = "", text = "none" } }
              elseif item.task.text:find "twin" then results[i] = { task = { id = "twin", text = item.task.text } }
              else results[i] = { task = task } end
            end
            return results
          end,
        }
      end
      return { services = { own = { fields = { "text" }, batch = 10, idempotency = "find", settings = { "list" }, open = open } } }
      """)
    try program.write(
      "in.lua",
      """
      local b2c = require "b2c"
      local tasks = b2c.tasks
      local i, rows = 0, { "one", "lost", "other", "none", "twin 1", "twin 2" }
      local report = tasks.import(function() i = i + 1 return rows[i] end,
        { service = "own", journal = false, settle_after = 0, retries = 1, progress = false })
      print(report.added, report.failed, report.unsettled)
      for _, failure in ipairs(report.failures) do print(failure.row, failure.reason) end
      for _ = 1, 3 do
        local ok, e = pcall(tasks.list, { service = "own" })
        print(e.status, e.retry_after > 590)
      end
      print(pcall(tasks.get, "1", { service = "own" }))
      """)
    let result = try program.run("in.lua")
    let lines = result.output.split(separator: "\n").map(String.init)
    #expect(lines.first == "3\t3\t0", "\(result)")
    for part in [
      "another text: \"another\"", "the ID of the task in the answer is \"\"",
      "the ID of the task that row 5 got: twin",
    ] {
      #expect(result.output.contains(part), "\(result)")
    }
    #expect(lines.filter { $0 == "429\ttrue" }.count == 3, "\(result)")
    // No function was called after the one that was told to wait.
    #expect(lines.filter { $0 == "asked" }.count == 1 && lines.last?.hasPrefix("false") == true, "\(result)")
  }

  @Test("sync keeps a CalDAV server and the local tenant alike, shows first, and tells conflicts")
  func sync() throws {
    let program = try program(for: "radicale")
    let script = """
      set -e
      run="$0 --quiet --local=data --set services.caldav.url=$SERVICE_URL --set services.caldav.username=alice"
      sync="$run sync tasks caldav --journal home.sync"
      $run tasks add Both --due 2027-01-31 >/dev/null; $run tasks add One >/dev/null; $run tasks add Two >/dev/null
      $run tasks add Both --due 2027-01-31 --service caldav >/dev/null; $run tasks add Three --service caldav >/dev/null
      echo shown; $sync; test ! -e home.sync
      echo applied; $sync --apply; echo again; $sync --apply
      $run tasks complete 1 >/dev/null; $run tasks edit 2 Here >/dev/null; $run tasks remove 3 --yes >/dev/null
      id=$($run tasks list --service caldav | grep One | cut -d' ' -f1)
      $run tasks edit $id There --service caldav >/dev/null
      echo changed; $sync --apply || echo status $?
      echo decided; $sync --apply --prefer b
      $run tasks list --json | grep -E '"(text|completed)"'
      $run sync caldav tasks --journal home.sync 2>&1 || true
      """
    let result = try run(with: "radicale", program, ["/bin/bash", "-c", script, Program.binary.path])
    #expect(
      result.output == """
        shown
        =    Both
        + b  One
        + b  Two
        + a  Three
        3 new, 0 changed, 0 removed, 0 conflicts, 0 failed
        nothing was changed; --apply makes these changes
        applied
        =    Both
        + b  One
        + b  Two
        + a  Three
        3 new, 0 changed, 0 removed, 0 conflicts, 0 failed
        again
        0 new, 0 changed, 0 removed, 0 conflicts, 0 failed
        changed
        ~ b  Both  (completed)
        !    Here  (text: a has Here, b has There)
        - b  Two
        0 new, 1 changed, 1 removed, 1 conflicts, 0 failed
        conflicts stay as they are; --prefer a or --prefer b decides
        status 5
        decided
        ~ a  Here  (text)
        0 new, 1 changed, 0 removed, 0 conflicts, 0 failed
            "completed": true,
            "text": "Both"
            "completed": false,
            "text": "There"
            "completed": false,
            "text": "Three"
        b2c-run: sync: home.sync is the journal of tasks and caldav
          hint: name another file

        """, "\(result)")
  }

  @Test("tasks complete, edit, due and list change and show what they name")
  func command() throws {
    let program = try Program(flags: ["--quiet", "--local=data"])
    for words in [
      ["add", "Pay", "the", "rent", "--due", "2027-01-31"], ["add", "Buy milk"], ["complete", "2"],
      ["due", "1", "none"],
    ] {
      #expect(try program.run(list: ["tasks"] + words).status == 0)
    }
    #expect(try program.run("tasks", "due", "1", "2027-02-01T09:00").status == 0)
    #expect(
      try program.run("tasks", "list").output == """
        id  done  text          due
        1         Pay the rent  2027-02-01T09:00:00
        2   x     Buy milk

        """)
    #expect(try program.run("tasks", "list", "--open").output.split(separator: "\n").count == 2)
    let wrong = try program.run("tasks", "due", "1", "soon")
    #expect(wrong.status == 2 && wrong.errors.hasPrefix("b2c-run: tasks: 'soon' is not a date"), "\(wrong)")
    let late = try program.run("tasks", "add", "Walk", "--due", "2027-13-01")
    #expect(late.status == 2 && late.errors.contains("--due: '2027-13-01' is not in the calendar"), "\(late)")
    #expect(try program.run("tasks", "complete", "9").errors.contains("there is no task with the ID '9'"))
  }

  @Test("files of iCalendar are read and written; a wrong line is named")
  func ics() throws {
    let program = try Program(flags: ["--quiet", "--local=data"])
    try program.write(
      "x.ics",
      "BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:no task\nEND:VEVENT\nBEGIN:VTODO\nSUMMARY:Pay\\, the\n  rent\n"
        + "DUE;TZID=Europe/Berlin:20270131T090000\nCATEGORIES:a,b\nSTATUS:COMPLETED\nEND:VTODO\nEND:VCALENDAR\n")
    let read = try program.run("import", "x.ics")
    #expect(read.status == 0 && read.output.contains("added        1"), "\(read)")
    #expect(try program.run("export", "y.ics").status == 0)
    #expect(try program.run("--local=other", "import", "y.ics").status == 0)
    #expect(
      try program.run("--local=other", "tasks", "list").output == """
        id  done  text           due                                 labels
        1   x     Pay, the rent  2027-01-31T09:00:00[Europe/Berlin]  a b

        """)
    try program.write("z.ics", "BEGIN:VCALENDAR\nBEGIN:VTODO\nSUMMARY\nEND:VTODO\n")
    #expect(try program.run("import", "z.ics").errors.contains("z.ics:3: expected ':' after SUMMARY"))
  }

  @Test("iCalendar: folds within characters, durations, versions; a time that is none fails its row")
  func oddCalendar() throws {
    let program = try Program(flags: ["--quiet", "--local=data"])
    func todo(_ lines: String...) -> [UInt8] {
      Array((["BEGIN:VTODO"] + lines + ["END:VTODO\r\n"]).joined(separator: "\r\n").utf8)
    }
    // The fold is between the two bytes of the character.
    let folded =
      Array("BEGIN:VTODO\r\nSUMMARY:fold ".utf8) + [0xC3, 0x0D, 0x0A, 0x20, 0xBC] + Array("!\r\nEND:VTODO\r\n".utf8)
    let bytes =
      Array("BEGIN:VCALENDAR\r\n".utf8) + folded
      + todo("SUMMARY:gap", "DUE;TZID=Europe/Berlin:20270328T023000") + todo("SUMMARY:soon", "DUE:soon")
      + todo("SUMMARY:length", "DTSTART;TZID=Europe/Berlin:20270131T230000", "DURATION:P1DT2H30M")
      + todo("SUMMARY:zone", "DUE;TZID=Nowhere:20270131T090000")
      + todo("UID:6", "SUMMARY:new", "SEQUENCE:2") + todo("UID:6", "SUMMARY:old", "SEQUENCE:1")
      + todo("UID:7", "SUMMARY:weekly", "RRULE:FREQ=WEEKLY")
      + todo("UID:7", "SUMMARY:moved", "RECURRENCE-ID:20270131T090000Z")
      + todo("SUMMARY:rule", "RRULE:FREQ=NEVER") + Array("END:VCALENDAR\r\n".utf8)
    try Data(bytes).write(to: program.folder.appending(path: "x.ics"))
    let read = try program.run("import", "x.ics", "--concurrency", "1")
    #expect(read.status == 5 && read.output.contains("added            5"), "\(read)")
    for part in [
      "due: '2027-03-28T02:30:00[Europe/Berlin]' is left out by the clocks in Europe/Berlin",
      "due: 'soon' is not a date",
      "recurrence: expected a rule such as FREQ=WEEKLY;BYDAY=MO, got \"FREQ=NEVER\"",
      "the time zone 'Nowhere' is not known; its times are read as times without a zone",
    ] {
      #expect(read.errors.contains(part), "\(read)")
    }
    #expect(
      try program.run("tasks", "list").output == """
        id  done  text     due
        1         fold ü!
        2         length   2027-02-02T01:30:00[Europe/Berlin]
        3         zone     2027-01-31T09:00:00
        4         new
        5         weekly

        """)
  }

  @Test("the service of a plugin; wrong names, options and declarations are named")
  func plugin() throws {
    let program = try Program(flags: ["--trust-plugins", "--quiet"])
    func plugin(_ text: String) throws {
      try program.write("plugins/own.lua", "return { services = { own = { \(text) } } }")
    }
    let open = """
      open = function(options)
        return { lists = function() return {} end, pages = function() return {} end,
          create = function(batch) return {} end }
      end
      """
    func failure(_ script: String) throws -> String { try program.run("-e", script).errors }
    try plugin("fields = { 'text' }, settings = { 'url' }, \(open)")
    #expect(try failure("tasks.list { service = 'owm' }").contains("there is no task service named 'owm'"))
    #expect(try failure("tasks.list { service = 'owm' }").contains("did you mean 'own'?"))
    #expect(
      try failure("tasks.list { service = { name = 'own', rul = 'x' } }").contains(
        "the task service own has no option 'rul'"))
    #expect(try failure("tasks.add('a', { service = 'own' })").contains("own: create returned 0 results for 1 tasks"))
    #expect(try failure("tasks.get('a', { service = 'own' })").contains("own: open returned no function get"))
    try plugin("fields = { 'text', 'colour' }, \(open)")
    #expect(try failure("print(1)").contains("services.own: key 'fields': there is no field 'colour'"))
    try plugin("fields = { 'text' }")
    #expect(try failure("print(1)").contains("services.own"))
  }

  @Test("the settings.plist of the current folder names no address of a service")
  func settingsAtHand() throws {
    let program = try Program()
    try program.write(
      "settings.plist",
      "<plist><dict><key>services</key><dict><key>caldav</key><dict><key>url</key><string>https://evil.example</string>"
        + "</dict></dict></dict></plist>")
    let result = try program.run("tasks", "list", "--service", "caldav")
    #expect(result.status == 3, "\(result)")
    #expect(
      result.errors.contains(
        "services names the address of caldav, which the settings.plist of the current folder may not do"),
      "\(result)")
  }
}
