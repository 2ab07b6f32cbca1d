import CommandLineSupport
import Foundation
import HostLoop
import JSON
import Testing

@Suite("serve --listen")
struct JobPagesTests {
  private func server(_ jobs: [String: String]) throws -> (server: RunningServer, address: String) {
    let server = try RunningServer(jobs, options: ["--listen", "0"])
    return (server, "http://localhost:\(try server.port("the jobs are at"))")
  }

  @Test("shows jobs and runs in a browser, and its buttons work")
  @HostActor func pages() async throws {
    let (server, address) = try server([
      "digest":
        "{ summary = 'Counts <b>tasks</b>', on = { every = '1h' } }\nprint 'counted <script>'\nrun.step('one', function() return 1 end)",
      "fails": "{ on = { start = true } }\nerror { code = 'x', message = 'nothing is left', hint = 'order more' }",
    ])
    try server.wait(for: "fails run 1: failed")
    try await WebBrowser.with { browser in
      for (width, isDark) in [(1280, false), (390, true)] {
        try await browser.show(width: width, isDark: isDark)
        try await browser.open("\(address)/")
        #expect(try await browser.text("main").contains("Counts <b>tasks</b>"))
        #expect(try await browser.evaluate("document.documentElement.scrollWidth <= innerWidth").bool == true)
        // The policy of the header and that of the page allow the style.
        #expect(
          try await browser.evaluate("getComputedStyle(document.querySelector('.card')).borderRadius != '0px'").bool
            == true)
      }
      try await browser.leave(by: "form[action='/jobs/digest/run'] button")
      #expect(try await browser.address() == "\(address)/runs/2")
      try server.wait(for: "digest run 2: ok")
      // The page follows the run by itself.
      for _ in 0..<200 {
        if try await browser.text("h1").contains("ok") { break }
        try await HostLoop.shared.sleep(seconds: 0.1)
      }
      #expect(try await browser.text("h1") == "Run 2 ok")
      #expect(try await browser.text("#log") == "counted <script>")
      #expect(try await browser.text("main").contains("one"))
      try await browser.open("\(address)/jobs/digest")
      try await browser.leave(by: "form[action='/jobs/digest/pause'] button")
      #expect(try await browser.text("h1") == "digest paused")
      #expect(try server.jobs("pause", "--all").status == 0)
      try await browser.open("\(address)/")
      #expect(try await browser.text("main [role=status]") == "all jobs are paused by hand")
      #expect(try server.jobs("resume", "--all").errors.contains("the job digest is paused by itself"))
      try await browser.open("\(address)/runs?failed=1")
      #expect(try await browser.text("main").contains("nothing is left"))
      try await browser.open("\(address)/runs/1")
      #expect(try await browser.text(".problem").contains("nothing is left\norder more"))
    }
    #expect(try server.jobs("show", "digest").output.contains("paused: by hand"))
  }

  @Test("each answer allows only the style and the script that are in it")
  func policy() throws {
    let (server, address) = try server(["a": "{ on = { start = true } }\nprint 'x'"])
    try server.wait(for: "a run 1: ok")
    for path in [
      "/", "/runs", "/runs/1", "/jobs/a", "/accounts", "/webhooks", "/nothing", "/api/jobs", "/api/runs/1/log",
    ] {
      let answer = try curl(server, "-i", "\(address)\(path)")
      let policies = answer.split(separator: "\r\n").filter { $0.hasPrefix("Content-Security-Policy: ") }
      #expect(policies.count == 1 && policies[0].contains("default-src 'none'"), "\(path): \(answer)")
      #expect(policies.first?.contains("frame-ancestors 'none'") == true, "\(path): \(answer)")
      guard answer.contains("Content-Type: text/html") else { continue }
      #expect(policies.first?.contains("style-src 'sha256-") == true, "\(path): \(answer)")
      #expect(policies.first?.contains("script-src 'sha256-") == true, "\(path): \(answer)")
    }
  }

  @Test("has an API that its description covers, metrics and health")
  func api() throws {
    let (server, address) = try server(["a": "{ on = { start = true } }\nprint('words', ...)"])
    try server.wait(for: "a run 1: ok")
    #expect(try curl(server, "\(address)/healthz") == "ok\n")
    #expect(try curl(server, "\(address)/readyz") == "ok\n")
    #expect(try curl(server, "\(address)/api/runs/1/log") == "words\n")
    let json = "Content-Type: application/json"
    let started = try curl(server, "-H", json, "-d", "{\"arguments\": [\"x\"]}", "\(address)/api/jobs/a/run")
    #expect(started == "{\"ok\":true,\"run\":2}\n")
    try server.wait(for: "a run 2: ok")
    #expect(try curl(server, "\(address)/api/runs/2/log") == "words\tx\n")
    // A body is read by the schema of the description. What is none starts nothing.
    for (body, problem) in [
      ("nul", "the body is no JSON"), ("[]", "expected a JSON object, got a list"),
      ("{\"arguments\": \"x\"}", "arguments: expected a list of strings"),
      ("{\"argument\": []}", "there is no field \\\"argument\\\" here"),
    ] {
      let answer = try curl(server, "-w", "%{http_code}", "-H", json, "-d", body, "\(address)/api/jobs/a/run")
      #expect(answer.contains(problem) && answer.hasSuffix("400"), "\(body): \(answer)")
    }
    #expect(try curl(server, "-w", "%{http_code}", "\(address)/api/runs?limit=x").hasSuffix("400"))
    #expect(try JSON(parsing: curl(server, "\(address)/api/runs")).array?.count == 2)
    let description = try JSON(parsing: curl(server, "\(address)/api/openapi.json"))
    let schema = description["paths"]?["/api/jobs/{job}/run"]?["post"]?["requestBody"]?["content"]?["application/json"]
    #expect(schema?["schema"]?["properties"]?["arguments"]?["type"] == "array")
    #expect(schema?["schema"]?["additionalProperties"] == false)
    for path in ["/api/jobs", "/api/jobs/{job}", "/api/runs", "/api/runs/{run}", "/api/webhooks", "/api/accounts"] {
      #expect(description["paths"]?[path]?["get"] != nil, "\(path)")
      let real = path.replacing("{job}", with: "a").replacing("{run}", with: "1")
      let answer = try JSON(parsing: curl(server, address + real))
      let schemas = ["jobs": "Job", "runs": "Run", "webhooks": "Webhook", "accounts": "Account"]
      let schema = schemas[String(path.split(separator: "/")[1])] ?? ""
      let known = description["components"]?["schemas"]?[schema]?["properties"]?.object ?? [:]
      for name in (answer.array?.first ?? answer).object?.keys.sorted() ?? [] {
        #expect(known[name] != nil, "\(path): \(name) is not described")
      }
    }
    let metrics = try curl(server, "\(address)/metrics")
    #expect(metrics.contains("b2c_run_runs_total{job=\"a\",result=\"ok\"} 2\n"), "\(metrics)")
    #expect(metrics.contains("b2c_run_run_duration_seconds_bucket{job=\"a\",le=\"+Inf\"} 2\n"))
    // Each line is a comment, or a name with labels and a number; each metric has its type in front.
    for line in metrics.split(separator: "\n") {
      #expect(line.hasPrefix("# ") || line.contains(#/^[a-z_0-9]+(\{([a-z]+="[^"]*",?)+\})? [-+.e0-9]+$/#), "\(line)")
    }
  }

  @Test("shows a part of many jobs, finds them by their names, and reads their declarations by few processes")
  func manyJobs() throws {
    var jobs = Dictionary(
      uniqueKeysWithValues: (1...1040).map { ("job-\($0)", "{ on = { cron = '0 7 * * *' } }\nlocal x <close> = 1") })
    // A script that ends its process, or goes on behind its declaration, is no trouble of its neighbors.
    jobs["job-100x"] = "os.exit(1)"
    jobs["job-150x"] =
      "local b2c = require 'b2c'\nwhile pcall(b2c.job, { on = { start = true } }) do end\nb2c.job 'again'"
    jobs["job-200x"] = "error 'broken'"
    jobs["job-210x"] = "print 'no job'"
    let (server, address) = try server(jobs)
    let list = try server.jobs("list").output.split(separator: "\n")
    #expect(list.count { $0.contains(" broken ") } == 3, "\(list.filter { $0.contains("x ") })")
    #expect(list.count { $0.contains(" ready ") || $0.contains(" running ") } == 1041)
    #expect(try server.jobs("show", "job-150x").output.contains("on       start"))
    let page = try curl(server, "\(address)/")
    #expect(page.utf8.count < 300 << 10)
    #expect(page.contains("1 to 50 of 1044") && page.contains("href=\"/?after="))
    let found = try curl(server, "\(address)/?q=B-24")
    #expect(found.contains("job-240") && found.contains("job-24\"") && !found.contains("job-1"), "\(found)")
    #expect(try curl(server, "\(address)/?q=%3Cb%3E").contains("There is no such job."))
    // Programs get a part, too, and the address of the next one.
    #expect(try JSON(parsing: curl(server, "\(address)/api/jobs?limit=5000")).array?.count == 1000)
    let link = try curl(server, "-o", "/dev/null", "-w", "%header{link}", "\(address)/api/jobs")
    let next = try #require(link.firstMatch(of: #/^<(.+)>; rel="next"$/#), "\(link)").output.1
    #expect(try JSON(parsing: curl(server, address + next)).array?.count == 44)
    #expect(try curl(server, "-o", "/dev/null", "-w", "%header{link}", address + next) == "")
    let metrics = try curl(server, "\(address)/metrics")
    #expect(metrics.contains("\nb2c_run_jobs 1044\n"))
    #expect(metrics.split(separator: "\n").count { $0.hasPrefix("b2c_run_job_failures{") } == 1000)
    #expect(try JSON(parsing: curl(server, "\(address)/api/jobs?q=x&after=job-100x&limit=2")).array?.count == 2)
  }

  @Test("lets no other site change or read anything")
  func otherSites() throws {
    let (server, address) = try server(["a": "{ on = { every = '1h' } }"])
    func status(_ words: String...) throws -> String {
      try server.program.run(
        list: ["-s", "-o", "/dev/null", "-w", "%{http_code}", "--max-time", "30"] + words,
        executable: URL(filePath: "/usr/bin/curl")
      ).output
    }
    #expect(try status("-H", "Host: evil.example", "\(address)/api/jobs") == "421")
    #expect(try status("-X", "POST", "\(address)/jobs/a/run") == "403")
    #expect(try status("-d", "token=guess", "\(address)/jobs/a/run") == "403")
    #expect(try status("-d", "{}", "\(address)/api/jobs/a/run") == "403")
    #expect(try status("-H", "Content-Type: application/json", "-d", "{}", "\(address)/api/jobs/b/run") == "404")
    #expect(try status("-X", "DELETE", "\(address)/api/jobs/a") == "405")
    #expect(try status("\(address)/runs/1/files/0") == "404")
    #expect(try server.jobs("runs").output.isEmpty)
  }

  @Test("shows the report of an import, which attaches itself")
  func reports() throws {
    let server = try RunningServer(
      [
        "import": """
        -- needs: --allow-write=report.html
        local b2c = require "b2c"
        local run = b2c.job { on = { start = true } }
        b2c.accounts.sign_in { agent = "headless", username = "alice", password = "Wonderland-1" }
        local rows = { "Milk", "Bread" }
        b2c.tasks.import(function() return table.remove(rows) end, { report = "report.html" })
        """
      ], isStarted: false)
    #expect(try server.jobs("allow", "import", "--yes").status == 0)
    try server.start(["--local", "--listen", "0"])
    let address = "http://localhost:\(try server.port("the jobs are at"))"
    try server.wait(for: "import run 1: ok")
    #expect(try curl(server, "\(address)/runs/1").contains("<a href=\"/runs/1/files/0\">report.html</a>"))
    #expect(try curl(server, "\(address)/runs/1/files/0").contains("<!DOCTYPE html>"))
  }

  @Test("shows a file that a run may read and has attached, apart from the page")
  func attachments() throws {
    let server = try RunningServer(
      [
        "report": """
        -- needs: --allow-write=report.html --allow-read=report.html
        local b2c = require "b2c"
        local run = b2c.job { on = { start = true } }
        local f <close> = assert(io.open("report.html", "w"))
        f:write("<h1>report</h1>")
        f:flush()
        run.attach("report.html", "The report")
        print(pcall(run.attach, "/etc/hostname"))
        """
      ], isStarted: false)
    #expect(try server.jobs("allow", "report", "--yes").status == 0)
    try server.start(["--listen", "0"])
    let address = "http://localhost:\(try server.port("the jobs are at"))"
    try server.wait(for: "report run 1: ok")
    #expect(try server.jobs("log", "1").output.contains("run.attach: needs permission to read /etc/hostname"))
    let file = try curl(server, "-i", "\(address)/runs/1/files/0")
    #expect(
      file.contains("Content-Security-Policy: sandbox allow-scripts") && file.hasSuffix("<h1>report</h1>"), "\(file)")
  }
}
