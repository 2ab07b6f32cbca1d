import CommandLineSupport
import Foundation
import HostLoop
import JSON
import Testing

@Suite("experiment")
struct ExperimentTests {
  @Test("each combination runs by itself, and the table names what differs")
  func table() throws {
    let result = try Program().run(
      "--local", "experiment", "authorization_code", "--vary", "pkce=S256,plain,none", "--vary", "prompt=,none")
    #expect(result.status == 0, "\(result)")
    let lines = result.output.split(separator: "\n").map { $0.split(separator: /\s{2,}/).map(String.init) }
    #expect(lines[0] == ["#", "pkce", "prompt", "outcome", "code", "requests", "time", "differs from the first in"])
    #expect(lines[1].prefix(4) == ["1", "S256", "–", "signed in"])
    #expect(lines[2].prefix(6) == ["2", "S256", "none", "failed", "AADB2C90077", "2"])
    #expect(lines[3].last == "code_challenge, code_challenge_method")
    #expect(lines[5].last == "code_challenge, code_challenge_method, code_verifier")
    #expect(lines[7] == ["6 combinations: 3 signed in, 3 failed"])
    #expect(result.errors == "")
  }

  @Test("JSON has the differences of each run, and no secrets")
  func json() throws {
    let result = try Program().run(
      "--local", "experiment", "authorization_code", "--vary", "pkce=S256,plain", "--vary",
      "response_mode=query,form_post",
      "--json")
    let all = try #require(JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
    #expect(all["combinations"] as? Int == 4)
    let runs = try #require(all["runs"] as? [[String: Any]])
    #expect(runs.map { $0["outcome"] as? String } == Array(repeating: "signed in", count: 4))
    let last = try #require(runs.last)
    #expect(last["values"] as? [String: String] == ["pkce": "plain", "response_mode": "form_post"])
    let differences = try #require(last["differences"] as? [[String: String]])
    #expect(
      differences.contains {
        $0["what"] == "query response_mode" && $0["first"] == "query" && $0["here"] == "form_post"
      })
    #expect(!result.output.contains("Wonderland-1"))
  }

  @Test("a script with a flow of its own, settings, and a script that returns a flow")
  func scripts() throws {
    let program = try Program()
    try program.write(
      "flow.lua",
      """
      local b2c = require "b2c"
      local oauth = b2c.oauth
      print "not in the results"
      return function(ctx)
        local pkce = oauth.pkce()
        local url = oauth.authorize_url { scopes = ctx.options.scopes, pkce = pkce }
        local answer = oauth.redirect(b2c.browser.open(url, { agent = ctx.agent }))
        return oauth.token {
          grant_type = "authorization_code", code = answer.code, redirect_uri = ctx.redirect_uri,
          code_verifier = pkce.verifier,
        }
      end
      """)
    let flow = try program.run("--local", "experiment", "flow.lua", "--vary", "response_mode=query,form_post")
    #expect(flow.output.contains("2 combinations: 2 signed in"), "\(flow)")
    #expect(flow.output.firstMatch(of: #/2 +form_post +signed in .* response_mode\n/#) != nil, "\(flow)")
    #expect(!flow.output.contains("not in the results"))
    let settings = try program.run(
      "--local", "experiment", "flow.lua", "--vary", "clientAuthentication=none,client_secret_post")
    #expect(settings.output.contains("unsupported_client_authentication"), "\(settings)")
    #expect(settings.output.contains("2 combinations: 1 signed in, 1 failed"), "\(settings)")
  }

  @Test("an option that the function of a flow does not have is not given to it")
  func missingOption() throws {
    let program = try Program()
    try program.write(
      "flow.lua",
      """
      local b2c = require "b2c"
      local oauth = b2c.oauth
      return function(ctx)
        local pkce = oauth.pkce()
        local request = oauth.par { scopes = ctx.options.scopes, state = "s", pkce = pkce }
        local url = oauth.authorize_url { request_uri = request.request_uri }
        local answer = oauth.redirect(b2c.browser.open(url, { agent = ctx.agent }))
        return oauth.token {
          grant_type = "authorization_code", code = answer.code, redirect_uri = ctx.redirect_uri,
          code_verifier = pkce.verifier,
        }
      end
      """)
    let result = try program.run("--local", "experiment", "flow.lua", "--vary", "par=yes,no")
    #expect(result.output.contains("2 combinations: 2 signed in"), "\(result)")
  }

  @Test("the page opens the trace of each run, and compares two")
  @HostActor func page() async throws {
    let program = try Program()
    let result = try program.run(
      "--local", "experiment", "authorization_code", "--vary", "pkce=S256,plain", "--vary", "prompt=,none", "--report",
      "matrix.html")
    #expect(result.status == 0, "\(result)")
    let file = program.folder.appending(path: "matrix.html")
    let text = try String(contentsOf: file, encoding: .utf8)
    #expect(!text.contains("Wonderland-1"))
    for words in ["id=\"run-4\"", "id=\"data-4\"", "4 combinations: 2 signed in, 2 failed", "AADB2C90077"] {
      #expect(text.contains(words))
    }
    let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    try await WebBrowser.with { browser in
      for width in [390, 1200] {
        try await browser.show(width: width, isDark: width == 390)
        try await browser.open("file://\(file.path)")
        let isWithin = "document.documentElement.scrollWidth <= innerWidth"
        #expect(try await browser.evaluate(isWithin) == true)
        try await browser.click("a[href='#run-3']")
        #expect(try await browser.evaluate("document.querySelector('#run-3').open") == true)
        #expect(try await browser.evaluate(isWithin) == true)
      }
      try await browser.click("#run-3 .diagram li button")
      #expect(try await browser.evaluate("document.querySelector('#panel').hidden") == false)
      try await browser.press("Escape")
      try await browser.click("input[value='1']")
      try await browser.click("input[value='3']")
      #expect(try await browser.text("#comparison").contains("query code_challenge_method"))
      // A third mark takes the place of the first one.
      try await browser.click("input[value='4']")
      #expect(try await browser.text("#comparison h2") == "Runs 3 and 4")
      #expect(try await browser.text("#comparison").contains("query prompt"))
      #expect(try await browser.evaluate("performance.getEntriesByType('resource').length") == 0)
    }
    let wrong = try program.run("--local", "experiment", "silent", "--vary", "prompt=", "--report", "matrix.txt")
    #expect(wrong.errors.contains("--report: expected a file that ends in .html or .htm, got 'matrix.txt'"))
  }

  @Test("a sample is spread over all combinations, with the first one in front")
  func sample() throws {
    let result = try Program().run(
      "--local", "experiment", "password", "--vary", "policy=ropc,B2C_1_none", "--vary", "ui_locales=a,b,c,d,e,f",
      "--sample", "3")
    let rows = result.output.split(separator: "\n").dropFirst().prefix(3).map { $0.split(separator: /\s{2,}/) }
    #expect(rows[0].prefix(3) == ["1", "ropc", "a"], "\(result)")
    #expect(Set(rows.map { $0[1] }).count == 2 && Set(rows.map { $0[2] }).count == 3, "\(result)")
    #expect(result.output.contains("3 of 12 combinations"))
  }

  @Test(
    "a wrong command line is told before anything runs",
    arguments: [
      (["--vary", "promt=none"], "there is no option or setting 'promt'", "did you mean 'prompt'?"),
      (["--vary", "clientSecret=a,b"], "there is no option or setting 'clientSecret'", nil),
      (["--vary", "password=a,b"], "there is no option or setting 'password'", nil),
      (["--vary", "max_age=soon"], "max_age: expected an integer, got 'soon'", nil),
      (["--vary", "pkce=S512"], "pkce: expected one of \"S256\", \"plain\", \"none\", got 'S512'", nil),
      (["--vary", "prompt"], "--vary: expected NAME=VALUE,VALUE, got 'prompt'", nil),
      (["--vary", "prompt=login,login"], "--vary: prompt has a value twice", nil),
      (["--vary", "prompt=login", "--vary", "prompt=none"], "--vary: prompt is given twice", nil),
      (["--sample", "0"], "--sample: expected a number from 1 to 200, got '0'", nil),
      ([], "experiment: nothing varies", nil),
      (
        ["--vary", "ui_locales=\(String((1...201).map { "\($0)," }.joined().dropLast()))"],
        "experiment: 201 combinations are more than 200", "--sample 200 runs some of them"
      ),
    ] as [([String], String, String?)])
  func wrong(words: [String], message: String, hint: String?) throws {
    let result = try Program().run(list: ["--local", "experiment", "authorization_code"] + words)
    #expect(result.status == 2, "\(result)")
    #expect(result.errors.contains(message), "\(result)")
    if let hint { #expect(result.errors.contains("hint: \(hint)"), "\(result)") }
    #expect(result.output == "")
  }

  @Test("the accounts of the person stay as they are")
  func accounts() throws {
    let tenant = try RunningTenant()
    let program = tenant.program
    try program.write(
      "flow.lua",
      """
      require("b2c").accounts.sign_in { agent = "headless", username = "alice", password = "Wonderland-1" }
      """)
    let result = try program.run("experiment", "flow.lua", "--vary", "prompt=,login")
    #expect(result.output.contains("2 combinations: 2 signed in"), "\(result)")
    let files = FileManager.default.enumerator(atPath: program.folder.path)?.compactMap { $0 as? String } ?? []
    #expect(files.filter { $0.hasSuffix("accounts.sqlite") } == [])
  }
}
