import CommandLineSupport
import Foundation
import HTTPServer
import Testing

@Suite("serve")
struct ServeTests {
  @Test("runs jobs that keep their state over restarts, and ends with 0 at SIGTERM")
  func restarts() throws {
    let server = try RunningServer([
      "count": """
      { on = { every = "1h" } }
      run.state.count = (run.state.count or 0) + 1
      print("run", run.state.count, run.event.kind)
      """
    ])
    try server.pass(hours: 1)
    try server.wait(for: "count run 1: ok")
    #expect(server.end() == 0)
    try server.start()
    try server.pass(hours: 1)
    try server.wait(for: "count run 2: ok")
    #expect(try server.jobs("log", "2").output == "run\t2\tevery\n")
    #expect(server.end(SIGINT) == 0)
  }

  @Test("runs no two servers with one state, and replaces the socket of one that was killed")
  func oneServer() throws {
    let server = try RunningServer(["idle": "{ on = { start = true } }"])
    let other = try server.program.run("serve")
    #expect(other.status == 1)
    #expect(other.errors.contains("another server uses the state folder"), "\(other)")
    #expect(other.errors.contains("hint: end it, or give this one another folder with --state"), "\(other)")
    server.end(SIGKILL)
    let run = try server.jobs("run", "idle")
    #expect(run.errors.contains("no server runs with the state folder"), "\(run)")
    try server.start()
    #expect(try server.jobs("run", "idle").status == 0)
  }

  @Test("tells of runs that a kill of the server cut off, or repeats them")
  func interrupted() throws {
    let script = """
      local f = io.open("pid-" .. run.job .. run.attempt, "w") f:write(run.id) f:close()
      if run.attempt == 1 then b2c.async.sleep(600) end
      print("attempt", run.attempt)
      """
    let server = try RunningServer(
      [
        "report":
          "-- needs: --allow-write=.\nlocal b2c = require 'b2c'\nlocal run = b2c.job { on = { start = true } }\n\(script)",
        "again": """
        -- needs: --allow-write=.
        local b2c = require 'b2c'
        local run = b2c.job { on = { at = "2020-01-01 00:00" }, interrupted = "again" }
        \(script)
        """,
      ], isStarted: false)
    for job in ["report", "again"] { #expect(try server.jobs("allow", job, "--yes").status == 0) }
    try server.start()
    #expect(try server.jobs("run", "again").status == 0)
    for name in ["pid-report1", "pid-again1"] { try waitForFile(server, name) }
    server.end(SIGKILL)
    try server.start()
    try server.wait(for: "interrupted")
    try server.wait(for: ": ok")
    let runs = try server.jobs("runs", "--json").output
    #expect(runs.contains("\"state\":\"interrupted\""), "\(runs)")
    #expect(try server.jobs("log", "2").output.contains("attempt\t2"))
  }

  private func waitForFile(_ server: RunningServer, _ name: String) throws {
    for _ in 0..<1500 {
      let path = server.program.folder.appending(path: name).path
      if let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int, size > 0 { return }
      usleep(20_000)
    }
    Issue.record("there is no file \(name): \(server.text)")
  }

  @Test("calls a step once, sleeps without a process, and goes on after a restart")
  func steps() throws {
    let server = try RunningServer([
      "steps": """
      { on = { start = true }, retry = { attempts = 3, first = "1ms" } }
      local text = run.step("first", function() print "first" return { text = "kept" } end)
      if run.attempt == 1 then error { code = "boom", message = "once" } end
      run.sleep("2d")
      print("awake", text.text, run.attempt)
      """
    ])
    try server.wait(for: "steps run 1: asleep until")
    #expect(server.text.contains("steps run 1: failed, and is tried again"))
    #expect(server.end() == 0)
    try server.start()
    try server.pass(hours: 49)
    try server.wait(for: "steps run 1: ok")
    #expect(try server.jobs("log", "1").output == "first\nb2c-run: once\nawake\tkept\t2\n")
  }

  @Test("tries a run again no earlier than a server has asked, by an error of any kind")
  func waitOfServer() throws {
    let busy = try HTTPServer { _ in ServerResponse(status: 503, headers: [("Retry-After", "7200")]) }
    let declaration =
      "local b2c = require 'b2c'\nb2c.job { on = { at = '2099-01-01 00:00' }, retry = { attempts = 2, first = '1ms' } }\n"
    let server = try RunningServer([
      "http": "-- needs: --allow-net=127.0.0.1\n\(declaration)b2c.http.get 'http://127.0.0.1:\(busy.port)/'",
      "own": "\(declaration)error { message = 'busy', retry_after = 7200 }",
    ])
    #expect(try server.jobs("allow", "http", "--yes").status == 0)
    for name in ["http", "own"] { #expect(try server.jobs("run", name).status == 0) }
    for run in ["http run 1", "own run 2"] { try server.wait(for: "\(run): failed, and is tried again at") }
    let runs = try server.jobs("runs", "--json").output
    for run in try #require(try JSONSerialization.jsonObject(with: Data(runs.utf8)) as? [[String: Any]]) {
      let (wake, started) = (try #require(run["wake"] as? String), try #require(run["started"] as? String))
      let format = ISO8601DateFormatter()
      format.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
      let times = [wake, started].map { format.date(from: $0) ?? ISO8601DateFormatter().date(from: $0) }
      let (end, begin) = (try #require(times[0]), try #require(times[1]))
      #expect(end.timeIntervalSince(begin) >= 7199, "\(runs)")
    }
    busy.stop()
  }

  @Test("waits for a request, which a person confirms")
  func waits() throws {
    let server = try RunningServer(
      [
        "approve": """
        { on = { start = true } }
        local answer = run.wait_for { webhook = "/approve/x7", timeout = "3d" }
        print(answer.method, answer.query.by)
        """
      ], options: ["--hooks", "0"])
    let port = try server.port("receiving webhooks")
    try server.wait(for: "waits for webhook /approve/x7")
    // Looking at the address approves nothing.
    #expect(try curl(server, "http://127.0.0.1:\(port)/approve/x7?by=bob").contains("method=\"post\""))
    #expect(try curl(server, "-X", "POST", "http://127.0.0.1:\(port)/approve/x7?by=bob") == "Accepted.\n")
    try server.wait(for: "approve run 1: ok")
    #expect(try server.jobs("log", "1").output == "POST\tbob\n")
    #expect(
      try curl(server, "-X", "POST", "http://127.0.0.1:\(port)/approve/x7") == "There is no webhook at this path.\n")
  }

  @Test("tells a job of complete files, also of those that came while it was down")
  func files() throws {
    let server = try RunningServer(
      [
        "inbox": """
        { on = { files = "inbox/*.csv" } }
        for _, file in ipairs(run.event.files) do print(file.path, file.size) end
        """
      ], isStarted: false)
    try server.program.write("inbox/before.csv", "1,2\n")
    try server.program.write("inbox/.hidden.csv", "1,2\n")
    try FileManager.default.createSymbolicLink(
      atPath: server.program.folder.appending(path: "inbox/passwd.csv").path, withDestinationPath: "/etc/passwd")
    try server.start()
    // The files of a declaration are what the job has to be allowed to read.
    try server.wait(for: "the job inbox is held: it needs --allow-read=inbox; b2c-run jobs allow inbox")
    let shown = try server.jobs("allow", "inbox")
    #expect(shown.errors.contains("--allow-read=inbox  the files that start the job: inbox/*.csv"), "\(shown)")
    #expect(try server.jobs("allow", "inbox", "--yes").status == 0)
    try server.wait(for: "inbox run 1: ok")
    try server.wait(for: "the files of the job inbox: on.files: needs permission to read /etc/passwd")
    let writer = try #require(FileHandle(forWritingAtPath: server.program.write("inbox/later.csv", "")))
    try writer.write(contentsOf: Data("1\n".utf8))
    try server.program.write("inbox/other.csv", "abc")
    try server.wait(for: "inbox run 2: ok")
    try writer.write(contentsOf: Data("2\n".utf8))
    try writer.close()
    try server.wait(for: "inbox run 3: ok")
    #expect(try server.jobs("log", "1").output == "inbox/before.csv\t4\n")
    // A file that somebody still writes is not complete.
    #expect(try server.jobs("log", "2").output == "inbox/other.csv\t3\n")
    #expect(try server.jobs("log", "3").output == "inbox/later.csv\t4\n")
  }

  /// The value that tells runs apart may be one that no history has: then it is neither lost nor told.
  @Test("keeps the lanes of a key apart that the event does not have")
  func lanes() throws {
    let server = try RunningServer(
      [
        "query":
          "{ on = { webhook = '/q', scheme = 'none' }, overlap = { parallel = 1, key = 'query.token' } }\nprint(run.event.query.token)",
        "header": "{ on = { webhook = '/h', scheme = 'none' }, overlap = { parallel = 1, key = 'headers.x-tenant' } }",
      ], options: ["--hooks", "0"])
    let port = try server.port("receiving webhooks")
    for value in ["one-secret", "two-secret", "one-secret"] {
      _ = try curl(server, "-X", "POST", "http://127.0.0.1:\(port)/q?token=\(value)")
      _ = try curl(server, "-X", "POST", "-H", "X-Tenant: \(value)", "http://127.0.0.1:\(port)/h")
    }
    try server.wait(for: ": ok", times: 6)
    for job in ["query", "header"] {
      let runs = try server.jobs("runs", job, "--json").output
      let lanes = runs.matches(of: #/"lane":"([0-9a-f]{32})"/#).map { String($0.1) }
      #expect(lanes.count == 3 && lanes[0] == lanes[2] && lanes[0] != lanes[1], "\(runs)")
      #expect(!runs.contains("one-secret"))
    }
    #expect(try server.jobs("log", "1").output == "[redacted]\n")
    let folder = try #require(server.text.firstMatch(of: #/the state is in (\S+)/#)?.1)
    let data = try Data(contentsOf: URL(filePath: "\(folder)/jobs.db-wal"))
    #expect(data.firstRange(of: Data("one-secret".utf8)) == nil)
  }

  /// GitHub sends a form unless somebody chooses JSON.
  @Test("reads JSON out of the form that GitHub sends")
  func formOfGitHub() throws {
    let server = try RunningServer(
      [
        "hook": """
        { on = { webhook = '/gh', scheme = 'none' }, overlap = { parallel = 1, key = 'json.number' } }
        local isRead, value = pcall(run.event.json)
        print(isRead, isRead and value.action or value.message)
        """
      ], options: ["--hooks", "0"])
    let port = try server.port("receiving webhooks")
    let address = "http://127.0.0.1:\(port)/gh"
    _ = try curl(server, "--data-urlencode", "payload={\"action\": \"opened & ünï\", \"number\": 4}", address)
    try server.wait(for: "hook run 1: ok")
    _ = try curl(server, "-d", "other=1", address)
    try server.wait(for: "hook run 2: ok")
    #expect(try server.jobs("log", "1").output == "true\topened & ünï\n")
    #expect(try server.jobs("log", "2").output.contains("a form without the field payload"))
  }

  @Test("tells the way out of a job that lacks a permission, and does not try it again")
  func permission() throws {
    let server = try RunningServer([
      "net": "{ on = { start = true }, retry = { attempts = 5, first = '1h', most = '1h' } }\nio.open('/etc/hostname')"
    ])
    try server.wait(for: "net run 1: failed")
    let log = try server.jobs("log", "1")
    #expect(log.output.contains("write '-- needs: --allow-read=/etc/hostname' into the first comment"), "\(log)")
    #expect(log.errors.contains("b2c-run jobs allow net"), "\(log)")
  }

  @Test("takes the good jobs over at SIGHUP, and names each broken one, once")
  func reload() throws {
    let server = try RunningServer(["a": "{ on = { every = '1h' } }", "old": "error 'broken'"])
    let named = "the job old does not run: old.lua:1: broken"
    try server.wait(for: named)
    try server.write("b", "{ on = { every = '2h' } }\n")
    try server.write("c", "error 'broken'")
    server.signal(SIGHUP)
    try server.wait(for: "read 4 jobs again; 2 of them cannot run")
    #expect(server.text.components(separatedBy: named).count == 3, "\(server.text)")
    #expect(server.text.components(separatedBy: "the job c does not run: c.lua:1: broken").count == 2, "\(server.text)")
    let states = try server.jobs("list").output.split(separator: "\n").dropFirst().map {
      $0.split(separator: " ").prefix(2).joined(separator: " ")
    }
    #expect(states == ["a ready", "b ready", "c broken", "old broken"])
    try server.write("c", "{ on = { every = '1h' } }")
    try server.write("old", "{ on = { every = '1h' } }")
    server.signal(SIGHUP)
    try server.wait(for: "read 4 jobs again\n")
    #expect(!(try server.jobs("list").output.contains("broken")))
  }

  @Test("the advice for a file of a job names its folder: the next one has another name")
  func needOfFiles() throws {
    let server = try RunningServer(
      [
        "inbox":
          "local run = require('b2c').job { on = { files = 'inbox/*.csv' } }\nio.open(run.event.files[1].path .. '.done', 'w')"
      ], isStarted: false)
    try server.program.write("inbox/a.csv", "Text\n")
    #expect(try server.jobs("allow", "inbox", "--yes").status == 0)
    try server.start()
    try server.wait(for: "inbox run 1: failed")
    let log = try server.jobs("log", "1")
    #expect(log.output.contains("write '-- needs: --allow-write=inbox' into the first comment"), "\(log)")
  }

  @Test("gives the runs the settings and the tenant of the server")
  func tenant() throws {
    let server = try RunningServer(
      [
        "tasks": """
        { on = { start = true } }
        b2c.accounts.sign_in { agent = "headless", username = "alice", password = "Wonderland-1" }
        b2c.tasks.add "from a job"
        for task in b2c.tasks.each() do print(task.text) end
        """
      ], isStarted: false)
    try server.start(["--local", "--store", "accounts"])
    try server.wait(for: "tasks run 1: ok")
    #expect(try server.jobs("log", "1").output.contains("from a job"))
  }

  @Test("starts jobs after the failure of others, with the error")
  func after() throws {
    let server = try RunningServer([
      "work": "{ on = { start = true } }\nerror { code = 'no_stock', message = 'nothing is left' }",
      "mail": """
      { on = { after = "*", result = "failed" } }
      print(run.event.run.job, run.event.run.error.code, run.event.run.error.message)
      """,
    ])
    try server.wait(for: "mail run 2: ok")
    #expect(try server.jobs("log", "2").output == "work\tno_stock\tnothing is left\n")
  }

  @Test("tells a service manager that it is ready, reloads and stops")
  func notifies() throws {
    let server = try RunningServer(["idle": "{ on = { start = true } }"], isStarted: false)
    let socket = server.program.folder.appending(path: "notify").path
    let receiver = Process()
    let output = Pipe()
    receiver.executableURL = URL(filePath: "/usr/bin/python3")
    receiver.arguments = [
      "-c",
      """
      import socket, sys
      s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); s.bind(sys.argv[1]); print("bound", flush=True)
      while True:
          text = s.recv(4096).decode().split("\\n")[0]; print(text, flush=True)
          if text == "STOPPING=1": break
      """, socket,
    ]
    receiver.standardOutput = output
    try receiver.run()
    _ = output.fileHandleForReading.availableData
    try server.start(environment: ["NOTIFY_SOCKET": socket, "WATCHDOG_USEC": "60000000"])
    server.signal(SIGHUP)
    try server.wait(for: "read 1 job again")
    #expect(server.end() == 0)
    receiver.waitUntilExit()
    let told = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self).split(separator: "\n")
    #expect(
      told == [
        "STATUS=reading the jobs", "EXTEND_TIMEOUT_USEC=60000000", "STATUS=reading the jobs: 1 of 1", "STATUS=1 job",
        "READY=1",
        "WATCHDOG=1", "RELOADING=1", "READY=1", "WATCHDOG=1", "STOPPING=1",
      ])
  }

  @Test("ends a run that fills the disk with its log")
  func endlessLog() throws {
    let server = try RunningServer([
      "talks": """
      { on = { start = true }, timeout = "10m" }
      for _ = 1, 70 do print(("x"):rep(1 << 20)) end
      b2c.async.sleep(500)
      """
    ])
    try server.wait(for: "the log of the run is longer than 64 MiB")
    #expect(try server.jobs("runs").output.contains("failed"))
  }

  @Test("takes over a socket that systemd holds")
  func socketActivation() throws {
    let server = try RunningServer(
      ["hook": "{ on = { webhook = '/h', scheme = 'none' } }"], isStarted: false)
    try server.start(executable: [
      "/usr/bin/python3", "-c",
      """
      import os, socket, sys
      s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen(); print(s.getsockname()[1], file=sys.stderr, flush=True)
      os.dup2(s.fileno(), 3); os.set_inheritable(3, True)
      os.environ.update(LISTEN_FDS="1", LISTEN_PID=str(os.getpid()))
      os.execv(sys.argv[1], sys.argv[1:])
      """,
    ])
    let port = try server.port("receiving webhooks")
    #expect(try curl(server, "-X", "POST", "http://127.0.0.1:\(port)/h") == "Accepted.\n")
    try server.wait(for: "hook run 1: ok")
  }

  @Test("takes requests whose parameters have a NUL in their names, also where a run waits for one")
  func nulInNames() throws {
    let server = try RunningServer(
      [
        "hook": "{ on = { webhook = '/h', scheme = 'none' } }\nprint('got', run.event.b)",
        "wait": """
        { on = { start = true } }
        local request = run.wait_for { webhook = "/approve", timeout = "3d" }
        print("approved", request.query.ok)
        """,
        "bad": """
        { on = { start = true } }
        local ok, problem = pcall(run.step, "k", function() return { ["a\\0b"] = 1 } end)
        print(ok, problem.message)
        """,
      ], isStarted: false)
    try server.start(["--hooks", "0"])
    let port = try server.port("receiving webhooks")
    #expect(try curl(server, "-X", "POST", "http://127.0.0.1:\(port)/h?a%00b=1") == "Accepted.\n")
    try server.wait(for: "hook run 3: ok")
    try server.wait(for: "bad run 1: ok")
    #expect(try curl(server, "-X", "POST", "http://127.0.0.1:\(port)/approve?ok=1&a%00b=1") == "Accepted.\n")
    try server.wait(for: "wait run 2: ok")
    #expect(try server.jobs("log", "1").output.contains("has a name with a NUL character"))
    #expect(try server.jobs("log", "2").output.contains("approved\t1"))
  }

  @Test("a hint of an error cannot move the cursor")
  func hostileHint() throws {
    let server = try RunningServer([
      "evil": """
      { on = { start = true } }
      error(setmetatable({ code = "x", message = "m\\27]0;pwn\\7", hint = "h\\27]0;pwn\\7" }, { __tostring = function(e) return e.message end }))
      """
    ])
    try server.wait(for: "evil run 1: failed")
    let result = try server.jobs("log", "1")
    #expect(!result.errors.contains("\u{1b}") && !result.output.contains("\u{1b}"), "\(result)")
    #expect(result.errors.contains("hint: h"), "\(result)")
  }

  @Test("serves the pages of this machine by https if a certificate is given")
  func pagesOverTLS() throws {
    let server = try RunningServer(["tick": "{ on = { every = '1h' } }"], isStarted: false)
    let identity = try TLSIdentity.selfSigned()
    try server.program.write("server.pem", identity.certificate)
    try server.program.write("server.key", identity.key)
    try server.start(["--listen", "0", "--certificate", "server.pem", "--key", "server.key"])
    let port = try server.port("the jobs are at https://localhost:")
    let certificate = server.program.folder.appending(path: "server.pem").path
    #expect(try curl(server, "--cacert", certificate, "https://localhost:\(port)/healthz") == "ok\n")
    #expect(try curl(server, "--cacert", certificate, "https://localhost:\(port)/").contains("tick"))
    #expect(try !curl(server, "http://localhost:\(port)/healthz").contains("ok"))
  }

  @Test(
    "refuses addresses and options that make no sense",
    arguments: [
      (["--hooks", "0.0.0.0:0"], "--hooks: 0.0.0.0:0 is an address for other machines, which needs TLS"),
      (
        ["--listen", "0.0.0.0:0"], "--listen: 0.0.0.0:0 is an address for other machines, where people have to sign in"
      ),
      (
        ["--listen", "0.0.0.0:0", "--sign-in", "none.plist"],
        "--sign-in: the settings file \"none.plist\" does not exist"
      ),
      (
        ["--listen", "0", "--sign-in", "plain.json"],
        "--sign-in: expected a redirect URI that begins with https, got 'urn:ietf:wg:oauth:2.0:oob'"
      ),
      (["--listen", "0", "--sign-in", "root.json"], "--sign-in: the redirect URI 'https://jobs.example' has no path"),
      (["--listen", "0", "--sign-in", "good.json"], "--sign-in: nobody may sign in"),
      (
        ["--listen", "0.0.0.0:0", "--sign-in", "good.json", "--allow-subject", "s"],
        "--listen: 0.0.0.0:0 is an address for other machines, which needs TLS"
      ),
      (
        ["--listen", "0.0.0.0:0", "--sign-in", "local.json", "--allow-subject", "s", "--behind-proxy"],
        "--listen: 0.0.0.0:0 is an address for other machines, and the redirect URI is not"
      ),
      (["--sign-in", "good.json", "--allow-subject", "s"], "--sign-in belongs to the pages"),
      (["--listen", "0", "--allow-subject", "s"], "--allow-subject belongs to --sign-in"),
      (["--listen", "here"], "--listen: expected an address such as 127.0.0.1:8080, got 'here'"),
      (["--hooks", "0", "--key", "none.pem"], "--key needs --certificate"),
      (
        ["--hooks", "0", "--key", "none.pem", "--certificate", "none.pem"],
        "--certificate: cannot read none.pem: No such file or directory"
      ),
      (
        ["--listen", "0", "--key", "none.pem", "--certificate", "none.pem"],
        "--certificate: cannot read none.pem: No such file or directory"
      ),
      (
        [
          "--listen", "0", "--sign-in", "local.json", "--allow-subject", "s", "--key", "none.pem", "--certificate",
          "none.pem",
        ], "--certificate and --key: the redirect URI of --sign-in begins with http"
      ),
      (["--behind-proxy"], "--certificate, --key and --behind-proxy belong to an address"),
      (["--keep", "-1"], "--keep: expected a number of days from 0 to 36500, such as 30 or 30d, got '-1'"),
      (["--parallel", "0"], "--parallel: expected a number from 1 to 1000, got '0'"),
      (["-A"], "serve: permissions belong to each job"),
      (["nowhere"], "there is no folder nowhere"),
    ])
  func badOptions(_ options: [String], _ message: String) throws {
    let program = try Program()
    try program.write("jobs/a.lua", "require('b2c').job { on = { start = true } }")
    for (name, redirectURI) in [
      ("plain", "urn:ietf:wg:oauth:2.0:oob"), ("root", "https://jobs.example"), ("good", "https://jobs.example/in"),
      ("local", "http://localhost:1/in"),
    ] {
      try program.write(
        "\(name).json",
        "{ \"authority\": \"https://id.example\", \"clientID\": \"c\", \"redirectURL\": \"\(redirectURI)\" }")
    }
    let result = try program.run(list: ["serve"] + options)
    #expect(result.status == 2 && result.errors.contains("b2c-run: \(message)"), "\(result)")
  }
}

/// The answer's body.
func curl(_ server: RunningServer, _ words: String...) throws -> String {
  try server.program.run(list: ["-s", "--max-time", "30"] + words, executable: URL(filePath: "/usr/bin/curl")).output
}
