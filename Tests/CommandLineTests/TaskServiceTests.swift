import Foundation
import Testing

/// Task services: real CalDAV servers, and stand-ins of services that exist on the Internet alone.
@Suite("Task services")
struct TaskServiceTests {
  private static let services = Program.project.appending(path: "Tests/Services").path

  /// Runs a command of bash with a service. `$0` is the program.
  private func run(with kind: String, _ program: Program, _ command: [String]) throws -> Program.Result {
    try program.run(
      list: ["\(Self.services)/with_server.py", kind] + command, executable: URL(filePath: "/usr/bin/python3"))
  }

  private func isReal(_ kind: String) -> Bool { kind == "radicale" || kind == "xandikos" }

  private func program(for kind: String) throws -> Program {
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
    "an import that is killed loses and doubles nothing",
    arguments: [("xandikos", "120"), ("todoist", "300"), ("microsoft", "200"), ("github", "6")])
  func drill(kind: String, rows: String) throws {
    let program = try program(for: kind)
    let result = try run(
      with: kind, program,
      ["/usr/bin/python3", "\(Self.services)/drill.py", Program.binary.path, kind, rows, kind == "github" ? "3" : "6"])
    #expect(result.status == 0 && result.output.contains("lost 0 doubled 0 not completed 0"), "\(result)")
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
    #expect(wrong.status == 1 && wrong.errors.contains("tasks.update: due: 'soon' is no date"), "\(wrong)")
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
