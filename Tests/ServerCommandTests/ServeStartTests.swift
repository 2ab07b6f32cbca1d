import CommandLineSupport
import Foundation
import Testing

/// Commands, requests and signals for a server that reads its jobs. A job whose declaration does not come holds it there.
@Suite("serve, while it starts")
struct ServeStartTests {
  /// Declares itself only when there is the module `gate.open`.
  private static let gate = """
    local b2c = require "b2c"
    while not pcall(require, "gate.open") do end
    b2c.job { on = { every = "1h" } }
    """
  /// The first run of each event waits until it is cut off.
  private static let work = """
    if run.attempt == 1 and run.event.body == "slow" then b2c.async.sleep(600) end
    """
  private static let jobs = [
    "gate": gate,
    "hook": "{ on = { webhook = '/h', scheme = 'none' }, interrupted = 'again' }\n\(work)",
    "report": "{ on = { webhook = '/report', scheme = 'none' } }\n\(work)",
    "retry": """
    { on = { webhook = '/retry', scheme = 'none' }, retry = { attempts = 3, first = "1ms", most = "1ms" } }
    if run.attempt == 1 then error("once") end
    """,
    "sleep": "{ on = { webhook = '/sleep', scheme = 'none' } }\nrun.sleep('2h')",
    "wait": "{ on = { webhook = '/wait', scheme = 'none' } }\nrun.wait_for { webhook = '/approve', timeout = '3d' }",
    "tick": "{ on = { cron = '0 * * * *' }, catch_up = 'one' }", "paused": "{ on = { cron = '0 * * * *' } }",
  ]

  private func open(_ server: RunningServer, _ isOpen: Bool) throws {
    if isOpen {
      _ = try server.program.write("jobs/gate/open.lua", "return true")
      return
    }
    try? FileManager.default.removeItem(at: server.program.folder.appending(path: "jobs/gate/open.lua"))
  }

  private func post(_ server: RunningServer, _ path: String, _ body: String = "x") throws -> String {
    let port = try server.port("receiving webhooks")
    return try curl(server, "-d", body, "-w", "%{http_code}", "http://127.0.0.1:\(port)\(path)")
  }

  /// Runs a command in the background.
  private func begin(_ server: RunningServer, _ words: [String]) throws -> (process: Process, output: Pipe) {
    let (process, output) = (Process(), Pipe())
    process.executableURL = URL(filePath: words[0])
    process.arguments = Array(words.dropFirst())
    process.currentDirectoryURL = server.program.folder
    process.environment = ["HOME": server.program.folder.path, "PATH": "/usr/bin:/bin", "TZ": "UTC"]
    process.standardOutput = output
    process.standardError = output
    try process.run()
    return (process, output)
  }

  /// Waits until the process is connected to a server, or has ended.
  private func waitUntilConnected(_ process: Process) {
    let folder = "/proc/\(process.processIdentifier)/fd"
    func isConnected() -> Bool {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
      return names.contains {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)"))?.hasPrefix("socket:") == true
      }
    }
    while process.isRunning && !isConnected() { usleep(20_000) }
  }

  private func end(_ begun: (process: Process, output: Pipe)) -> String {
    begun.process.waitUntilExit()
    return String(decoding: begun.output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
  }

  @Test("commands, requests, a change of the clock and SIGHUP wait for the jobs, and end no run")
  func drill() throws {
    let server = try RunningServer(Self.jobs, isStarted: false)
    try open(server, true)
    let options = ["--hooks", "0", "--listen", "0"]
    try server.start(options)
    for (path, body) in [
      ("/h", "slow"), ("/h", "2"), ("/h", "3"), ("/report", "slow"), ("/report", "2"), ("/sleep", ""), ("/wait", ""),
    ] { #expect(try post(server, path, body) == "Accepted.\n202") }
    try server.wait(for: "wait run 7: waits")
    try server.wait(for: "sleep run 6: asleep")
    server.end(SIGKILL)
    for round in 1...4 {
      try open(server, false)
      try server.start(options, until: "the jobs are at")
      let address = "http://localhost:\(try server.port("the jobs are at"))"
      let hooks = "http://127.0.0.1:\(try server.port("receiving webhooks"))"
      #expect(try curl(server, "-w", "%{http_code}", "\(address)/readyz") == "reading the jobs\n503")
      #expect(try curl(server, "\(address)/healthz") == "ok\n")
      #expect(try curl(server, "\(address)/").contains("role=\"status\">reading the jobs"))
      #expect(try curl(server, "\(address)/metrics").contains("\nb2c_run_ready 0\n"))
      try server.pass(hours: 1)
      let command = try begin(
        server, [Program.binary.path, "jobs", round == 1 || round == 4 ? "pause" : "resume", "paused"])
      let api = try begin(
        server,
        ["/usr/bin/curl", "-s", "-H", "Content-Type: application/json", "-d", "{}", "\(address)/api/jobs/tick/run"])
      let hook = try begin(server, ["/usr/bin/curl", "-s", "-d", "\(round)", "\(hooks)/h"])
      let unknown = try begin(server, ["/usr/bin/curl", "-s", "-d", "x", "\(hooks)/unknown"])
      server.signal(SIGHUP)
      #expect(try !server.jobs("runs", "--json").output.contains("\"state\":\"failed\""))
      if round == 2 || round == 3 {
        for begun in [command, api, hook, unknown] { waitUntilConnected(begun.process) }
        // The server ends before it knows its jobs: nothing has happened.
        let status = server.end(round == 2 ? SIGTERM : SIGKILL)
        #expect(round == 3 || status == 0)
        #expect(end(command).contains(round == 2 ? "the server ends" : "ended before it answered"))
        for begun in [api, hook, unknown] { #expect(!end(begun).contains("Accepted")) }
        continue
      }
      try open(server, true)
      try server.wait(for: "serving the jobs")
      #expect(end(command).contains("paused the job paused"))
      #expect(end(api).contains("\"ok\":true"))
      #expect(end(hook) == "Accepted.\n")
      #expect(end(unknown) == "There is no webhook at this path.\n")
      #expect(try curl(server, "\(address)/readyz") == "ok\n")
      try server.wait(for: "read 8 jobs again")
      #expect(server.end() == 0)
    }
    try server.start(options)
    #expect(try post(server, "/approve") == "Accepted.\n202")
    for run in 1...7 where run != 4 {
      if run == 6 { try server.wait(for: "wait run 7: ok") }
      if run == 6 { try server.pass(hours: 3) }
      let log = try server.jobs("log", "\(run)", "--follow", "--json").output
      #expect(log.contains("\"state\":\"ok\""), "\(log)")
    }
    let failed = try server.jobs("runs", "--failed", "--json").output
    #expect(failed.components(separatedBy: "\"state\":\"interrupted\"").count == 2, "\(failed)")
    #expect(!failed.contains("\"state\":\"failed\""), "\(failed)")
    #expect(try server.jobs("show", "paused").output.contains("paused: by hand"))
    #expect(server.end() == 0)
  }

  @Test("a request gets 503 with Retry-After if the jobs are not read in time, and the log says so")
  func patience() throws {
    let server = try RunningServer(Self.jobs, isStarted: false)
    try open(server, false)
    try server.start(["--hooks", "0"], until: "receiving webhooks")
    let port = try server.port("receiving webhooks")
    let answer = try curl(server, "-i", "-d", "x", "http://127.0.0.1:\(port)/h")
    #expect(answer.contains(" 503 ") && answer.contains("\r\nRetry-After: "), "\(answer)")
    #expect(server.text.contains("a request to /h was not taken: the server still reads its jobs"), "\(server.text)")
    try open(server, true)
    try server.wait(for: "serving the jobs")
    #expect(server.end() == 0)
  }
}
