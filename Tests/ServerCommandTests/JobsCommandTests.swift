import CommandLineSupport
import Foundation
import Testing

@Suite("jobs")
struct JobsCommandTests {
  @Test("lists jobs, without a server too")
  func list() throws {
    let server = try RunningServer(
      [
        "report": "{ summary = 'Reports', on = { cron = '30 7 * * mon-fri', zone = 'Europe/Athens' } }",
        "inbox":
          "-- needs: --allow-read=inbox  the files to import\nrequire('b2c').job { on = { files = 'inbox/*.csv' } }",
        "late": "print 'nothing'",
      ], isStarted: false)
    let before = try server.jobs()
    #expect(before.status == 0)
    let words = before.output.split(separator: "\n").map { $0.split(separator: " ").prefix(2).joined(separator: " ") }
    #expect(words == ["JOB STATE", "inbox held", "late broken", "report ready"])
    #expect(before.output.contains("cron 30 7 * * mon-fri (Europe/Athens)"))
    #expect(
      before.errors.contains("warn  the job inbox is held: it needs --allow-read=inbox; b2c-run jobs allow inbox"),
      "\(before)")
    #expect(before.errors.contains("the script ended without a call of b2c.job"), "\(before)")
    try server.start()
    #expect(try server.jobs().output == before.output)
    let json = try server.jobs("show", "report", "--json").output
    for part in ["\"name\":\"report\"", "\"zone\":\"Europe/Athens\"", "\"summary\":\"Reports\"", "\"runs\":[]"] {
      #expect(json.contains(part), "\(part) in \(json)")
    }
  }

  @Test("shows the next due times, over the change to summer time")
  func next() throws {
    let server = try RunningServer(
      ["daily": "{ on = { cron = '30 3 * * *', zone = 'Europe/Athens' } }"], isStarted: false)
    let result = try server.jobs("next", "daily", "3", "--from", "2027-03-26 22:00")
    let lines = result.output.split(separator: "\n").dropFirst().map {
      $0.prefix(30).trimmingCharacters(in: .whitespaces)
    }
    #expect(
      lines == ["2027-03-27 03:30 Europe/Athens", "2027-03-28 04:00 Europe/Athens", "2027-03-29 03:30 Europe/Athens"])
    let file = try server.jobs("next", "jobs/daily.lua", "1", "--from", "2027-03-26 22:00", "--json")
    #expect(
      file.output
        == "[{\"due\":\"2027-03-27T01:30:00.000Z\",\"on\":\"cron 30 3 * * * (Europe/Athens)\",\"zone\":\"Europe/Athens\"}]\n"
    )
    #expect(try server.jobs("next", "daily", "0").errors.contains("expected a number from 1 to 1000, got '0'"))
    #expect(
      try server.jobs("next", "daily", "--from", "tomorrow").errors
        .contains("--from: expected a time such as 2027-01-31 18:00 or 2027-01-31T18:00:00Z, got \"tomorrow\""))
  }

  @Test("lists runs in parts, takes days and several names")
  func parts() throws {
    let server = try RunningServer(["a": "{ on = { every = '30d' } }", "b": "{ on = { every = '30d' } }"])
    for _ in 1...3 { #expect(try server.jobs("run", "a").status == 0) }
    try server.wait(for: "a run 3: ok")
    let first = try server.jobs("runs", "--limit", "2")
    #expect(first.output.split(separator: "\n").dropFirst().map { $0.prefix(1) } == ["3", "2"])
    #expect(first.errors.contains("these are the newest 2; --before 2 lists earlier ones"), "\(first)")
    let rest = try server.jobs("runs", "--before", "2")
    #expect(rest.output.contains("\n1 ") && rest.errors.isEmpty, "\(rest)")
    #expect(try server.jobs("runs", "--since", "2026-11-01").output.contains("\n3 "))
    #expect(try server.jobs("runs", "--since", "2099-01-01").errors.contains("there are no such runs"))
    #expect(try server.jobs("next", "a", "1", "--from", "2027-01-31").status == 0)
    let paused = try server.jobs("pause", "a", "b")
    #expect(paused.errors.contains("paused the job a") && paused.errors.contains("paused the job b"), "\(paused)")
    // The error of one name does not keep the others.
    let resumed = try server.jobs("resume", "c", "b")
    #expect(resumed.status == 1 && resumed.errors.contains("resumed the job b") && resumed.errors.contains("no job c"))
    let retried = try server.jobs("retry", "1", "2")
    #expect(retried.output == "run 4\nrun 5\n", "\(retried)")
    #expect(try server.program.run("serve", "--drain", "5 s").errors.contains("--drain: expected a time such as 5s"))
  }

  @Test("fits its tables to the terminal")
  func widths() throws {
    let server = try RunningServer([
      "tick": "{ on = { every = '1h' } }", "fails": "{ on = { every = '30d' } }\nerror(('word '):rep(40))",
    ])
    #expect(try server.jobs("run", "fails").status == 0)
    try server.wait(for: "fails run 1: failed")
    #expect(try server.jobs("pause", "tick").status == 0)
    try server.pass(hours: 2)
    try server.wait(for: "tick: skipped the due time")
    try server.pass(hours: 2)
    for _ in 0..<100 where try !server.jobs("runs").output.contains(" ×") { usleep(50_000) }
    let runs = try server.jobs("runs").output
    #expect(runs.contains(" ×") && !runs.contains("times until"), "\(runs)")
    for columns in [60, 80, 100] {
      let session = try TerminalSession(server.program, ["jobs", "runs"], columns: columns, environment: ["TZ": "UTC"])
      #expect(session.end() == 0)
      let lines = session.screen.split(whereSeparator: \.isNewline)
      #expect(lines.allSatisfy { $0.count <= columns }, "\(session.screen)")
      #expect(session.screen.contains("REASON") == (columns >= 80), "\(session.screen)")
    }
  }

  @Test("runs, pauses, cancels and repeats runs")
  func control() throws {
    let server = try RunningServer([
      "slow": "{ on = { every = '1h' } }\nprint('words', ...) io.stdout:flush() b2c.async.sleep(600)",
      "fails": "{ on = { every = '30d' } }\nerror 'it broke'",
    ])
    let run = try server.jobs("run", "slow", "--", "a", "--b")
    #expect(run.output == "run 1\n", "\(run)")
    try server.wait(for: "slow run 1: started")
    #expect(try server.jobs().output.contains("slow   running"))
    #expect(try server.jobs("cancel", "1").status == 0)
    try server.wait(for: "slow run 1: canceled: by hand")
    #expect(try server.jobs("log", "1").output.hasPrefix("words\ta\t--b\n"))
    #expect(try server.jobs("cancel", "1").errors.contains("the run 1 has ended: canceled"))

    #expect(try server.jobs("pause", "slow").status == 0)
    try server.pass(hours: 1)
    try server.wait(for: "slow: skipped the due time")
    #expect(try server.jobs("show", "slow").output.contains("state    paused: by hand"))
    let paused = try server.jobs()
    #expect(paused.errors.contains("warn  the job slow is paused by hand; b2c-run jobs resume slow"), "\(paused)")
    #expect(paused.output.contains("slow   paused  -  "), "\(paused)")
    #expect(try server.jobs("resume", "slow").status == 0)

    #expect(try server.jobs("run", "fails").output == "run 3\n")
    try server.wait(for: "fails run 3: failed")
    let failed = try server.jobs("runs", "--failed")
    #expect(failed.output.contains("3    fails  hand   failed"), "\(failed)")
    #expect(failed.output.contains("it broke"))
    #expect(try server.jobs("retry", "3").output == "run 4\n")
    try server.wait(for: "fails run 4: failed")
    #expect(try server.jobs("log", "4").errors.contains("fails.lua:3: it broke"))
  }

  @Test("allows what a script needs, and holds it again when it needs more")
  func allow() throws {
    let script = "require('b2c').job { on = { every = '1h' } }\nprint 'ran'"
    let server = try RunningServer(["job": "-- needs: --allow-net=example.com  posts there\n\(script)"])
    let held = try server.jobs("run", "job")
    #expect(
      held.errors.contains("the job job needs permissions that nobody has allowed: --allow-net=example.com"), "\(held)")
    let asked = try server.jobs("allow", "job")
    #expect(asked.status == 2 && asked.errors.contains("--allow-net=example.com  posts there"), "\(asked)")
    #expect(try server.jobs("allow", "job", "--yes").status == 0)
    #expect(try server.jobs("run", "job").status == 0)
    try server.wait(for: "job run 1: ok")
    // Another script with the same needs goes on.
    try server.write("job", "-- needs: --allow-net=example.com  posts there\n\(script)\nprint 'more'")
    server.signal(SIGHUP)
    try server.wait(for: "read 1 job again")
    #expect(try server.jobs("run", "job").status == 0)
    try server.write("job", "-- needs: --allow-net=example.com,other.example\n\(script)")
    server.signal(SIGHUP)
    try server.wait(for: "the job job is held: it needs --allow-net=example.com,other.example")
    #expect(try server.jobs("run", "job").status == 1)
  }

  @Test("each hint about a held job leads on: the server reads a changed script, then what it needs is allowed")
  func heldWalk() throws {
    let script = "require('b2c').job { on = { every = '1h' } }\nprint 'ran'"
    let server = try RunningServer(["job": "-- needs: --allow-env=ONE,TWO\n\(script)"])
    /// Does what a hint says.
    func reload(by hint: String, times: Int) throws {
      let number = try #require(hint.firstMatch(of: #/kill -HUP (\d+)/#)?.output.1)
      kill(try #require(Int32(number)), SIGHUP)
      try server.wait(for: "read 1 job again", times: times)
    }
    // A script that needs something else, which the server has not read.
    try server.write("job", "-- needs: --allow-env=ONE\n\(script)")
    let early = try server.jobs("allow", "job", "--yes")
    #expect(early.status == 1 && early.errors.contains("the job job does not need '--allow-env=ONE'"), "\(early)")
    try reload(by: early.errors, times: 1)
    let allowed = try server.jobs("allow", "job", "--yes")
    #expect(allowed.errors == "info  allowed the job job\n", "\(allowed)")
    // The server still holds the job for a need that the script has no more.
    try server.write("job", "-- needs: --allow-env=ONE\n-- needs: --allow-env=TWO\n\(script)")
    try reload(by: early.errors, times: 2)
    try server.write("job", "-- needs: --allow-env=ONE\n\(script)")
    let stale = try server.jobs("allow", "job")
    #expect(stale.status == 1 && stale.errors.contains("an earlier script, which needs --allow-env=TWO"), "\(stale)")
    try reload(by: stale.errors, times: 3)
    #expect(try server.jobs("allow", "job").errors == "info  the job job needs nothing that is not allowed yet\n")
    #expect(try server.jobs("run", "job").status == 0)
    // Other reasons for which it does not start.
    #expect(try server.jobs("pause", "job").status == 0)
    let paused = try server.jobs("allow", "job")
    #expect(paused.errors.contains("warn  the job job is paused by hand; b2c-run jobs resume job"), "\(paused)")
    try server.write("job", "-- needs: --allow-env=OTHER\n\(script)")
    try reload(by: stale.errors, times: 4)
    let resumed = try server.jobs("resume", "job")
    #expect(
      resumed.errors.contains("warn  the job job is held: it needs --allow-env=OTHER; b2c-run jobs allow job"),
      "\(resumed)")
  }

  @Test("a hint has the options by which the jobs were named")
  func hintsWithPlaces() throws {
    let server = try RunningServer(
      ["job": "-- needs: --allow-env=HOME\nrequire('b2c').job { on = { start = true } }"], isStarted: false)
    let result = try server.program.run("jobs", "--folder", "./jobs", "--state", "here")
    #expect(result.errors.contains("b2c-run jobs allow job --folder ./jobs --state here\n"), "\(result)")
    #expect(
      try server.program.run("jobs", "allow", "job", "--folder", "./jobs", "--state", "here", "--yes").status == 0)
    #expect(try server.program.run("jobs", "--folder", "./jobs", "--state", "here").output.contains("job  ready"))
  }

  @Test("shows when a run failed, not when somebody looks")
  func timeOfFailure() throws {
    let server = try RunningServer(["fails": "{ on = { every = '1h' } }\nerror 'it broke'"])
    try server.pass(hours: 1)
    try server.wait(for: "fails run 1: failed")
    let runs = try server.jobs("runs", "--json").output
    let ended = try #require(runs.firstMatch(of: #/"ended":"([^"]+)"/#)?.output.1)
    let log = try server.program.run(
      list: ["--log-format", "json", "jobs", "log", "1"], environment: ["TZ": "UTC"])
    #expect(log.errors.contains("\"time\":\"\(ended)\""), "\(log) \(ended)")
    // It took less than a second, and not none.
    #expect(try server.jobs("runs").output.contains(#/ (< 0\.1|\d\.\d) s +/#))
  }

  @Test("gives a run no option of its header that is not a permission")
  func otherOptions() throws {
    let server = try RunningServer([
      "job":
        "-- needs: --plugin=evil.lua --local --allow-env=HOME\nrequire('b2c').job { on = { every = '1h' } }\nprint('ran')"
    ])
    #expect(try server.jobs("allow", "job", "--yes").status == 0)
    #expect(try server.jobs("show", "job").output.contains("allowed  --allow-env=HOME\n"))
    #expect(try server.jobs("run", "job").status == 0)
    try server.wait(for: "job run 1: ok")
  }

  @Test("asks on a terminal before it allows anything")
  func allowAsks() throws {
    let server = try RunningServer(
      ["job": "-- needs: --allow-env=HOME  its home\nrequire('b2c').job { on = { start = true } }"], isStarted: false)
    let session = try TerminalSession(server.program, ["jobs", "allow", "job"])
    try session.expect("--allow-env=HOME  its home")
    try session.expect("Allow it for each run? [y/n]")
    session.type("n\r")
    try session.expect("nothing has been allowed to the job job")
    try session.expect("b2c-run jobs allow job")
    #expect(session.end() == 4)
    let again = try TerminalSession(server.program, ["jobs", "allow", "job"])
    try again.expect("Allow it for each run? [y/n]")
    again.type("y\r")
    try again.expect("allowed the job job")
    #expect(again.end() == 0)
    #expect(try server.jobs("show", "job").output.contains("allowed  --allow-env=HOME"))
  }

  @Test(
    "names mistakes of a declaration with script and line",
    arguments: [
      ("{ on = { cron = '0 0 30 2 *' } }", "b2c.job: on.cron: "),
      ("{ on = { cron = '61 * * * *' } }", "b2c.job: on.cron: "),
      (
        "{ on = { cron = '0 7 * * *', zone = 'Europe/Athen' } }",
        "b2c.job: on.zone: there is no time zone \"Europe/Athen\" (did you mean"
      ),
      ("{ on = { at = '2027-02-30 18:00' } }", "b2c.job: on.at: there is no day 2027-02-30"),
      (
        "{ on = { at = '2027-03-28 03:30', zone = 'Europe/Athens' } }",
        "b2c.job: on.at: there is no 2027-03-28 03:30 in Europe/Athens"
      ),
      ("{ on = { every = 'soon' } }", "b2c.job: on.every: "),
      ("{ on = { every = '1h', cron = '* * * * *' } }", "b2c.job: on: every and cron are two events"),
      ("{ on = {} }", "b2c.job: on: expected an event"),
      (
        "{ on = { start = true }, overlap = { quue = 1 } }",
        "b2c.job: overlap.quue: there is no such key (did you mean 'queue'?)"
      ),
      (
        "{ on = { start = true }, retry = { attempts = 0 } }",
        "b2c.job: retry.attempts: expected a whole number from 1 to 1000, got 0"
      ),
      ("{ on = { webhook = '/h' } }", "b2c.job: on.secret: the scheme standard needs the name of a secret"),
      ("{ on = { start = true }, sumary = 'x' }", "job: unknown option 'sumary' (did you mean 'summary'?)"),
    ])
  func badDeclarations(_ declaration: String, _ message: String) throws {
    let server = try RunningServer(["bad": declaration], isStarted: false)
    let result = try server.jobs("show", "bad")
    let line = result.output.split(separator: "\n").first { $0.hasPrefix("state") } ?? ""
    #expect(line.contains("bad.lua:2") && line.contains(message), "\(result)")
  }

  @Test(
    "names scripts that work before b2c.job, call it twice, or never",
    arguments: [
      (
        "require('b2c').async.sleep(1)",
        "bad.lua:1: async.sleep: the script works before it calls b2c.job (call b2c.job first)"
      ),
      (
        "io.open('/etc/hostname')",
        "bad.lua:1: the script works before it calls b2c.job: io.open: needs permission to read /etc/hostname"
      ),
      ("print 'nothing'", "the script ended without a call of b2c.job"),
      ("while true do end", "b2c.job was not called within"),
      ("os.exit(0)", "the script ended without a call of b2c.job"),
      ("x = = 1", "bad.lua:1: "),
    ])
  func notDeclared(_ script: String, _ message: String) throws {
    let server = try RunningServer(["bad": script], isStarted: false)
    let result = try server.jobs("show", "bad")
    #expect(result.output.contains(message), "\(result)")
  }

  @Test("warns of a cron text with both day fields, and refuses two jobs of one path")
  func warnings() throws {
    let server = try RunningServer([
      "days": "{ on = { cron = '0 0 13 * fri' } }", "one": "{ on = { webhook = '/h', scheme = 'none' } }",
      "two": "{ on = { webhook = '/h', scheme = 'none' } }",
    ])
    #expect(server.text.contains("warn  the job days: "), "\(server.text)")
    #expect(server.text.contains("the jobs one and two have the same path: /h"), "\(server.text)")
  }

  @Test(
    "names mistakes of a run",
    arguments: [
      (
        "run.step('s', function() return print end)",
        "the result of the step 's' is a function, which JSON has nothing for"
      ),
      (
        "run.step('s', function() return b2c.accounts.sign_in { agent = 'headless', username = 'alice', password = 'Wonderland-1' }:token() end)",
        "the result of the step 's'"
      ),
      ("run.state.text = string.rep('x', 1 << 20)", "run.state: 1048587 bytes are more than 1048576"),
      ("b2c.job { on = { start = true } }", "b2c.job: the script has called it already, at bad.lua:2"),
      ("run.sleep('long')", "run.sleep: argument 1: "),
      ("io.open('/etc/hostname'):read()", "bad.lua:3: io.open: needs permission to read /etc/hostname"),
      ("b2c.http.get 'http://127.0.0.1:9/'", "http.get: needs permission to connect to 127.0.0.1:9"),
    ])
  func badRuns(_ line: String, _ message: String) throws {
    let server = try RunningServer(["bad": "{ on = { start = true } }\n\(line)"], isStarted: false)
    try server.start(["--local"])
    try server.wait(for: "bad run 1: failed")
    #expect(server.text.contains(message), "\(server.text)")
  }

  @Test("says what is wrong with its own words")
  func badWords() throws {
    let server = try RunningServer(["a": "{ on = { start = true } }"])
    for (words, message) in [
      (["show"], "jobs show: JOB is missing"), (["show", "b"], "there is no job b"),
      (["log", "x"], "expected the number of a run, got 'x'"),
      (["log", "99"], "there is no run 99"), (["retry", "99"], "there is no run 99"),
      (["run", "b"], "there is no job b"),
      (["shaw", "a"], "did you mean 'show'?"), (["runs", "b"], "there is no job b"),
      (["runs", "--since", "soon"], "--since: "),
    ] {
      let result = try server.program.run(list: ["jobs"] + words)
      #expect(result.status != 0 && result.errors.contains(message), "\(words): \(result)")
    }
  }
}

@Suite("The examples of jobs")
struct JobExampleTests {
  private static let folder = Program.project.appending(path: "examples/jobs").path

  @Test("declare what they say")
  func declare() throws {
    let program = try Program()
    let result = try program.run("jobs", "--folder", Self.folder, "--json")
    #expect(!result.output.contains("\"state\":\"broken\""), "\(result)")
    for name in ["alike", "approval", "digest", "failures", "feed", "inbox", "nightly"] {
      #expect(result.output.contains("\"name\":\"\(name)\""), "\(name)")
    }
    let digest = try program.run("jobs", "next", "digest", "2", "--from", "2027-01-01 00:00", "--folder", Self.folder)
    #expect(digest.output.contains("2027-01-04 08:00 Europe/Athens"), "\(digest)")
  }

  @Test("an inbox and an approval work as described")
  func work() throws {
    let program = try Program()
    for name in ["inbox", "approval"] {
      let source = URL(filePath: Self.folder).appending(path: "\(name).lua")
      try program.write("jobs/\(name).lua", String(contentsOf: source, encoding: .utf8))
    }
    let server = try RunningServer([:], in: program, isStarted: false)
    #expect(try server.jobs("allow", "inbox", "--yes").status == 0)
    try server.start(["--local", "--hooks", "0"])
    try program.write("inbox/a.csv", "text\nMilk\nBread\n")
    try server.wait(for: "inbox run 1: ok")
    #expect(try server.jobs("log", "1").output.contains("inbox/a.csv: 2 added, 0 failed"))
    let port = try server.port("receiving webhooks")
    _ = try curl(server, "-d", "{\"text\": \"Order a new desk\"}", "http://127.0.0.1:\(port)/hooks/request")
    try server.wait(for: "approval run 2: waits")
    let log = try server.jobs("log", "2").output
    let path = try #require(log.firstMatch(of: #/localhost:9000(\S+)/#)).output.1
    _ = try curl(server, "-X", "POST", "http://127.0.0.1:\(port)\(path)")
    try server.wait(for: "approval run 2: ok")
    #expect(try server.jobs("log", "2").output.hasSuffix("added Order a new desk\n"))
  }
}
