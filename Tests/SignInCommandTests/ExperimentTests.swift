import CommandLineSupport
import Foundation
import HostLoop
import JSON
import Testing

@Suite("experiment")
struct ExperimentTests {
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
