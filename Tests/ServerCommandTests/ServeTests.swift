import CommandLineSupport
import Foundation
import HTTPServer
import Testing

@Suite("serve")
struct ServeTests {
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
