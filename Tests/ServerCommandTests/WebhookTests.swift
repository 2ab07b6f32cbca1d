import CommandLineSupport
import Foundation
import Testing

@Suite("serve --hooks")
struct WebhookTests {
  private static let sender = """
    import base64, hashlib, hmac, sys, time, urllib.error, urllib.request
    url, secret, id, age, body = sys.argv[1:6]
    when = str(int(time.time()) - int(age))
    key = base64.b64decode(secret[6:])
    signature = base64.b64encode(hmac.new(key, f"{id}.{when}.{body}".encode(), hashlib.sha256).digest()).decode()
    headers = {"webhook-id": id, "webhook-timestamp": when, "webhook-signature": "v1," + signature}
    try: answer = urllib.request.urlopen(urllib.request.Request(url, body.encode(), headers))
    except urllib.error.HTTPError as error: answer = error
    print(answer.status, answer.read().decode(), end="")
    """
  private static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

  private func server(_ declaration: String = "") throws -> (RunningServer, Int) {
    let program = try Program()
    #expect(try program.run("secrets", "set", "orders", input: Self.secret).status == 0)
    let server = try RunningServer(
      [
        "orders": """
        { on = { webhook = "/hooks/orders", secret = "orders" }, \(declaration) }
        print(run.event.id, run.event.json().order.id, run.event.headers["x-shop"])
        """
      ], in: program, options: ["--hooks", "0"])
    return (server, try server.port("receiving webhooks"))
  }

  private func send(_ server: RunningServer, _ port: Int, _ id: String, age: Int = 0, secret: String = secret) throws
    -> String
  {
    try server.program.run(
      list: [
        "-c", Self.sender, "http://127.0.0.1:\(port)/hooks/orders", secret, id, "\(age)", "{\"order\":{\"id\":7}}",
      ], executable: URL(filePath: "/usr/bin/python3")
    ).output
  }

  @Test("keeps the bytes of a body and of a file name, and a job gets the bytes of its arguments")
  func bytes() throws {
    let server = try RunningServer(
      [
        "plain": """
        { on = { webhook = "/hooks/plain", scheme = "none" } }
        print(#(run.event.body or ""), run.event.body == "a\\xff\\0b\\xe9", (...) == "w\\xe9")
        """
      ], options: ["--hooks", "0"])
    let port = try server.port("receiving webhooks")
    _ = try server.program.shell(
      "printf 'a\\xff\\0b\\xe9' | curl -s --data-binary @- http://127.0.0.1:$1/hooks/plain", "\(port)")
    try server.wait(for: "plain run 1: ok")
    #expect(try server.jobs("log", "1").output == "5\ttrue\tfalse\n")
    _ = try server.program.shell("\"$0\" jobs run plain -- $'w\\xe9'", "")
    try server.wait(for: "plain run 2: ok")
    #expect(try server.jobs("log", "2").output == "0\tfalse\ttrue\n")
  }

  @Test("starts a run for each signed request, once")
  func signed() throws {
    let (server, port) = try server()
    #expect(try send(server, port, "m1") == "202 Accepted.\n")
    #expect(try send(server, port, "m1") == "200 Received before.\n")
    try server.wait(for: "orders run 1: ok")
    #expect(try server.jobs("log", "1").output == "m1\t7\tnil\n")
    // The server forgets nothing when it is killed.
    server.end(SIGKILL)
    try server.start(["--hooks", "\(port)"])
    #expect(try send(server, port, "m1") == "200 Received before.\n")
    #expect(try server.jobs("runs", "--json").output.components(separatedBy: "\"id\":").count > 1)
  }

  @Test("keeps no credentials of a request in the history")
  func credentials() throws {
    let server = try RunningServer(
      [
        "hook": """
        { on = { webhook = "/h", scheme = "none", headers = { "X-Shop-Topic" } } }
        local names = {}
        for name, value in pairs(run.event.headers) do names[#names + 1] = name end
        table.sort(names)
        print(run.event.headers["x-shop-topic"], run.event.query.page, run.event.query.api_key, table.concat(names, " "))
        """
      ], options: ["--hooks", "0"])
    let port = try server.port("receiving webhooks")
    let names = [
      "X-Api-Key", "X-Auth-Token", "X-Gitlab-Token", "Authorization", "Cookie", "Stripe-Signature", "X-Other",
    ]
    let query = "page=7&api_key=hidden-1&token=hidden-1&code=hidden-1&accessToken=hidden-1&sig=hidden-1"
    let headers = ["X-Shop-Topic: orders", "Content-Type: application/json"] + names.map { "\($0): hidden-1" }
    let answer = try server.program.run(
      list: ["-s", "-d", "{}", "-A", "shop"] + headers.flatMap { ["-H", $0] } + ["http://127.0.0.1:\(port)/h?\(query)"],
      executable: URL(filePath: "/usr/bin/curl"))
    #expect(answer.output == "Accepted.\n")
    try server.wait(for: "hook run 1: ok")
    #expect(
      try server.jobs("log", "1").output
        == "orders\t7\t[redacted]\tcontent-length content-type host user-agent x-shop-topic\n")
    let shown = try server.jobs("show", "hook", "--json").output
    #expect(shown.contains("orders") && !shown.contains("hidden-1"), "\(shown)")
  }

  @Test("refuses old, unsigned and large requests")
  func refused() throws {
    let (server, port) = try server()
    let url = "http://127.0.0.1:\(port)/hooks/orders"
    #expect(try send(server, port, "m1", age: 400).hasPrefix("401 webhook-timestamp: the request is 40"))
    #expect(try send(server, port, "m1", age: -400).contains("in the future"))
    let other = "whsec_" + Data("another".utf8).base64EncodedString()
    #expect(
      try send(server, port, "m1", secret: other)
        == "401 webhook-signature: the signature is not that of the secret and this body\n")
    #expect(try curl(server, "-d", "{}", url) == "the header webhook-id is missing\n")
    #expect(try curl(server, url) == "Expected POST.\n")
    #expect(try curl(server, "-d", "{}", url + "/other") == "There is no webhook at this path.\n")
    let large = server.program.folder.appending(path: "large")
    try Data(repeating: 0x61, count: 10 << 20).write(to: large)
    #expect(try curl(server, "-o", "/dev/null", "-w", "%{http_code}", "--data-binary", "@\(large.path)", url) == "413")
    #expect(try server.jobs("runs").output.isEmpty)
    // A refused ID may come again.
    #expect(try send(server, port, "m1") == "202 Accepted.\n")
  }

  /// Swift takes the Kelvin sign for the letter K.
  @Test("a path counts by its bytes")
  func pathBytes() throws {
    let server = try RunningServer(["k": "{ on = { webhook = '/K', scheme = 'none' } }"], options: ["--hooks", "0"])
    let url = "http://127.0.0.1:\(try server.port("webhooks"))"
    for (path, answer) in [("/%E2%84%AA", "There is no webhook at this path.\n"), ("/K", "Accepted.\n")] {
      #expect(try curl(server, "-d", "{}", url + path) == answer)
    }
  }

  @Test("two files of one name in two spellings are a job that does not run, and is named with both")
  func spellings() throws {
    let server = try RunningServer([:], isStarted: false)
    for name in ["e\u{301}", "\u{e9}"] { try server.write(name, "{ on = { start = true } }") }
    let list = try server.jobs()
    #expect(list.errors.contains("the names of the files e\\u{301}.lua and \\u{e9}.lua differ only in"), "\(list)")
    #expect(list.output.split(separator: "\n").count == 2 && list.output.contains("broken"), "\(list)")
  }

  @Test("answers 429 when a queue is full, and takes the request later")
  func full() throws {
    let program = try Program()
    let server = try RunningServer(
      ["slow": "{ on = { webhook = '/slow', scheme = 'none' }, overlap = { queue = 0 } }\nb2c.async.sleep(600)"],
      in: program, options: ["--hooks", "0"])
    let url = "http://127.0.0.1:\(try server.port("receiving webhooks"))/slow"
    #expect(try curl(server, "-X", "POST", url) == "Accepted.\n")
    let second = try curl(server, "-i", "-X", "POST", url)
    #expect(second.hasPrefix("HTTP/1.1 429") && second.contains("Retry-After: 30"), "\(second)")
    #expect(try server.jobs("cancel", "1").status == 0)
    try server.wait(for: "slow run 1: canceled")
    #expect(try curl(server, "-X", "POST", url) == "Accepted.\n")
  }

  @Test("says at the start that a secret is missing")
  func missingSecret() throws {
    let server = try RunningServer(
      ["hook": "{ on = { webhook = '/h', secret = 'shop' } }"], options: ["--hooks", "0", "--listen", "0"])
    try server.wait(
      for:
        "the job hook: the path /h takes no requests: there is no secret 'shop' (set it first: b2c-run secrets set shop)"
    )
    let port = try server.port("receiving webhooks")
    #expect(try curl(server, "-X", "POST", "http://127.0.0.1:\(port)/h") == "The request could not be taken.\n")
    // Whoever looks at the jobs sees it, too.
    for _ in 0..<200 where try !server.jobs().errors.contains("takes no requests") { usleep(50_000) }
    let warning = "the path /h takes no requests: there is no secret 'shop'"
    #expect(try server.jobs().errors.contains("warn  the job hook: \(warning)"))
    #expect(try server.jobs("show", "hook").errors.contains(warning))
    let address = "http://127.0.0.1:\(try server.port("the jobs are at"))"
    #expect(try curl(server, "\(address)/").contains("the path /h takes no requests"))
    #expect(try curl(server, "\(address)/api/jobs/hook").contains("\"warnings\":[\"the path /h takes no requests"))
    // The warning ends with the lack.
    let set = try server.program.run("secrets", "set", "shop", input: Self.secret)
    #expect(set.errors.contains("a webhook of a job names it as secret = \"shop\""), "\(set)")
    #expect(try !server.jobs().errors.contains("takes no requests"))
    #expect(try !server.jobs("show", "hook").errors.contains("takes no requests"))
    #expect(try server.jobs("allow", "hook").errors == "info  the job hook needs nothing that is not allowed yet\n")
  }

  @Test("a request to a job whose script is broken for the moment waits for the script")
  func brokenMeanwhile() throws {
    let declaration = "{ on = { webhook = '/h', scheme = 'none' } }\n"
    let server = try RunningServer(["hook": declaration], options: ["--hooks", "0"])
    let url = "http://127.0.0.1:\(try server.port("receiving webhooks"))/h"
    for number in 1...2 {
      try server.write("hook", "error 'broken'")
      server.signal(SIGHUP)
      try server.wait(for: "read 1 job again; 1 of them cannot run", times: number)
      #expect(try curl(server, "-X", "POST", url) == "Accepted.\n")
    }
    #expect(try server.jobs("runs").output.contains("the job does not run: hook.lua:1: broken"))
    try server.write("hook", declaration)
    server.signal(SIGHUP)
    for run in 1...2 { try server.wait(for: "hook run \(run): ok") }
    try FileManager.default.removeItem(at: server.program.folder.appending(path: "jobs/hook.lua"))
    server.signal(SIGHUP)
    try server.wait(for: "read 0 jobs again")
    #expect(try curl(server, "-X", "POST", url) == "There is no webhook at this path.\n")
  }

  @Test("serves TLS with a certificate of the user's")
  func secure() throws {
    let program = try Program()
    let openssl = try program.run(
      list: [
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1", "-subj",
        "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", "key.pem", "-out", "certificate.pem",
      ], executable: URL(filePath: "/usr/bin/openssl"))
    #expect(openssl.status == 0, "\(openssl)")
    let server = try RunningServer(
      ["hook": "{ on = { webhook = '/h', scheme = 'none' } }"], in: program,
      options: ["--hooks", "0.0.0.0:0", "--certificate", "certificate.pem", "--key", "key.pem"])
    let port = try server.port("receiving webhooks")
    let file = program.folder.appending(path: "certificate.pem").path
    #expect(try curl(server, "--cacert", file, "-X", "POST", "https://localhost:\(port)/h") == "Accepted.\n")
    try server.wait(for: "hook run 1: ok")
  }
}
