import CommandLineSupport
import Foundation
import HostLoop
import JSON
import Testing

/// `b2c-run trace`, and its pages in a real browser.
@Suite("Looking at traces", .serialized, .timeLimit(.minutes(3)))
@HostActor struct TracePageTests {
  private static let origin = #""line":"sign_in.lua:3","call":"accounts.sign_in","coroutine":1"#

  private func trace(method: String = "S256", rows: Int = 0) -> String {
    let url = "https://login.example.com/b2c_1_susi/oauth2/v2.0/authorize?client_id=app&code_challenge_method=\(method)"
    let exchange =
      #""from":"browser","to":"authority","request":{"method":"GET","url":"\#(url)","headers":[["Accept","text/html"]]}"#
    let list = (0..<rows).map { "[\(40000 + $0 * 100),2500,201,40,90]" }.joined(separator: ",")
    let requests =
      #"{"type":"exchanges","id":5,"at":40000,"took":9000,"from":"host","to":"tasks","request":{"method":"POST","url":"https://tasks.example.com/api/tasks","headers":[]},"columns":["at","took","status","sent","received"],"rows":[\#(list)],"line":"sign_in.lua:5","call":"tasks.import"}"#
    return """
      {"type":"trace","version":1,"started":"2026-11-21T14:03:09.120Z","script":"sign_in.lua"}
      {"type":"exchange","id":2,"at":3000,"took":12000,\(exchange),"response":{"status":200,"headers":[],"body":{"size":9,"type":"text/html","text":"<img src=https://login.example.com/x>"}},"timings":{"wait":9000},\(Self.origin)}
      {"type":"token","id":3,"at":16000,"label":"[id token #1]","kind":"id token","header":{"alg":"RS256"},"claims":{"name":"Alice","exp":1795273390}}
      {"type":"sign_in","id":4,"at":1000,"took":20000,"outcome":"added","account":"Alice",\(Self.origin)}
      \(rows > 0 ? requests + "\n" : ""){"type":"end","id":9,"at":60000,"status":0,"events":6}

      """
  }

  @Test("clicks, keys, and rows that open") func page() async throws {
    let program = try Program()
    try program.write("flow.json", trace(rows: 1000))
    let result = try program.run("trace", "show", "flow.json", "--html", "flow.html")
    #expect(result.status == 0, "\(result)")
    let path = program.folder.appending(path: "flow.html").path
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    try await WebBrowser.with { browser in
      try await browser.open("file://\(path)")
      #expect(try await browser.text("h1") == "sign_in.lua")
      #expect(try await browser.text(".diagram ol li:nth-child(2) text") == "GET authorize")
      // A click shows the exchange.
      try await browser.click(".diagram ol li:nth-child(2) button")
      let panel = try await browser.text("#panel")
      #expect(panel.contains("code_challenge_method\nS256") || panel.contains("code_challenge_method S256"), "\(panel)")
      #expect(panel.contains("<img src=https://login.example.com/x>"))
      // Arrows go to the next row, and the panel with them; Escape leaves it.
      try await browser.press("ArrowDown")
      #expect(try await browser.text("#panel h2") == "sign-in")
      // Right goes into the panel, and Left back.
      try await browser.press("ArrowRight")
      #expect(try await browser.evaluate("document.activeElement.id") == "panel")
      try await browser.press("ArrowLeft")
      #expect(try await browser.evaluate("document.activeElement.dataset.e") == "4")
      try await browser.press("Escape")
      #expect(try await browser.evaluate("document.querySelector('#panel').hidden") == true)
      #expect(try await browser.evaluate("document.activeElement.dataset.e") == "4")
      #expect(
        try await browser.evaluate("document.querySelectorAll('.diagram button[tabindex=\"0\"]').length") == 1)
      // Many requests are one row, which opens.
      try await browser.press("End")
      try await browser.press("Enter")
      #expect(try await browser.evaluate("document.querySelectorAll('.unfolded button').length") == 201)
      #expect(try await browser.text(".unfolded .more button") == "Show 200 more of 800")
      #expect(try await browser.text(".unfolded li:nth-child(2)").contains("40 B sent, 90 B received"))
      // The page has sent no request.
      #expect(
        try await browser.evaluate("performance.getEntriesByType('resource').length") == 0)
      #expect(try await browser.text("#claims").contains("expires in 60 min, at 15:03:10"))
    }
  }

  @Test("a real run: its page is whole, and no secret is in it") func realRun() async throws {
    let program = try Program()
    try program.write(
      "sign_in.lua",
      """
      local b2c = require "b2c"
      b2c.accounts.on_failed(function() return { password = "Wonderland-1" } end)
      b2c.accounts.sign_in { agent = "headless", username = "alice", password = "Looking-Glass-1" }
      print(b2c.accounts.get():token():reveal())
      """)
    let result = try program.run("--local", "--trace", "flow.html", "sign_in.lua")
    #expect(result.status == 0, "\(result)")
    let page = try String(contentsOf: program.folder.appending(path: "flow.html"), encoding: .utf8)
    let token = result.output.trimmingCharacters(in: .whitespacesAndNewlines)
    let signature = try #require(token.split(separator: ".").last)
    #expect(signature.count > 40, "\(result)")
    for secret in ["Wonderland-1", "Looking-Glass-1", String(signature)] { #expect(!page.contains(secret)) }
    try await WebBrowser.with { browser in
      try await browser.open("file://\(program.folder.path)/flow.html")
      #expect(
        try await browser.text(".diagram .problem").contains("AADB2C90225 – the user name or the password is wrong"))
      #expect(try await browser.evaluate("document.querySelectorAll('.message.good').length") == 1)
      #expect(try await browser.text("#claims summary").contains("Alice Liddell"))
      #expect(try await browser.evaluate("performance.getEntriesByType('resource').length") == 0)
    }
  }

  @Test("two sign-ins, in the terminal and as a page") func compare() async throws {
    let program = try Program()
    try program.write("s256.json", trace())
    try program.write("plain.json", trace(method: "plain"))
    let table = try program.run("trace", "compare", "s256.json", "plain.json")
    #expect(
      table.output == """
        A  s256.json
        B  plain.json

        where                              what                         A     B
        browser → authority GET authorize  query code_challenge_method  S256  plain

        """, "\(table)")
    #expect(try program.run("trace", "compare", "s256.json", "plain.json", "--html", "both.html").status == 0)
    try await WebBrowser.with { browser in
      try await browser.open("file://\(program.folder.path)/both.html")
      #expect(try await browser.text("#differences tbody").contains("code_challenge_method"))
      try await browser.click("#diagram section:nth-child(2) .marked button")
      #expect(try await browser.text("#panel").contains("plain"))
    }
  }

  @Test("a trace from standard input") func input() throws {
    let program = try Program()
    try program.write("flow.json", trace())
    let table = try program.run("trace", "show", "flow.json").output
    #expect(try program.run("trace", "show", "-", input: trace()).output == table)
    let page = try program.run("trace", "show", "-", "--html", "flow.htm", input: trace())
    #expect(page.status == 0, "\(page)")
    let written = try String(contentsOf: program.folder.appending(path: "flow.htm"), encoding: .utf8)
    #expect(written.contains("GET authorize") && written.contains(#""id":9,"at":60000"#))
    let both = try program.run("trace", "compare", "flow.json", "-", input: trace(method: "plain"))
    #expect(both.output.hasPrefix("A  flow.json\nB  standard input\n\nwhere"), "\(both)")
    #expect(
      try program.run("trace", "compare", "-", "-").errors
        == "b2c-run: trace compare: only one of the two can be standard input\n")
    #expect(
      try program.run("trace", "show", "-").errors.hasPrefix("b2c-run: standard input is not a trace: it is empty\n"))
  }

  @Test("mistakes on the command line, and files that are no traces") func mistakes() throws {
    let program = try Program()
    try program.write("notes.txt", "hello\n")
    let other = try program.run("trace", "show", "notes.txt")
    #expect(other.status == 1)
    #expect(
      other.errors == """
        b2c-run: notes.txt is not a trace: its first line is no JSON object of the type trace
          hint: record one with b2c-run --trace FILE.json SCRIPT

        """)
    let usage = "  hint: b2c-run trace show FILE, or b2c-run trace compare FILE FILE\n"
    #expect(
      try program.run("trace", "see", "x").errors == """
        b2c-run: trace: expected one of show, compare, got 'see'
          hint: the command is b2c-run trace show FILE [--html OUT] or b2c-run trace compare FILE FILE [--html OUT]

        """)
    #expect(
      try program.run("trace", "compare", "x").errors == "b2c-run: trace compare: expected two files, got 1\n\(usage)")
    #expect(try program.run("trace", "show", "x").errors == "b2c-run: cannot read x: No such file or directory\n")
    for page in ["flow.txt", "flow", "flow.html/x"] {
      let output = try program.run("trace", "show", "flow.json", "--html", page)
      #expect(output.status == 2)
      #expect(output.errors == "b2c-run: --html: expected a file that ends in .html or .htm, got '\(page)'\n")
    }
    try program.write("cut.json", String(trace().dropLast(60)))
    let cut = try program.run("trace", "show", "cut.json")
    #expect(cut.status == 0)
    #expect(cut.errors.contains("cut.json is cut off within line"), "\(cut)")
    #expect(cut.output.contains("GET authorize"))
  }
}
