import CommandLineSupport
import Foundation
import Testing

/// Tests of the names in traces and reports, and of the messages that say where these files are.
@Suite("The words of traces and reports")
struct TraceWordsTests {
  @Test("a chunk is the title, without the texts in it; a line says where the trace is")
  func title() throws {
    let program = try Program()
    let result = try program.run("--trace", "trace.json", "-e", "local word = 'Wonderland-1'  return word")
    #expect(result.status == 0 && result.errors.contains("wrote the trace trace.json"), "\(result)")
    #expect(try TraceTests.events(program).first?["script"] as? String == "-e local word = … return word")
    let shown = try program.run("trace", "show", "trace.json")
    #expect(shown.output.hasPrefix("-e local word = … return word  "), "\(shown)")
  }

  @Test("a handler's log line is within the call that was made, and makes none")
  func handlers() throws {
    let program = try Program()
    try program.write(
      "flow.lua",
      """
      local b2c = require "b2c"
      b2c.accounts.on_changed(function() b2c.log.info "changed" end)
      b2c.tenant.sign_in()
      """)
    let result = try program.run("--local", "--trace", "trace.json", "flow.lua")
    #expect(result.status == 0, "\(result)")
    let log = try #require(try TraceTests.events(program).first { $0["type"] as? String == "log" })
    #expect(log["line"] as? String == "flow.lua:2")
    #expect(log["within"] as? String == "tenant.sign_in" && log["call"] == nil, "\(log)")
  }

  @Test("a report begins with the failures, and has no chart of requests where nothing was sent")
  func report() throws {
    let program = try Program()
    try program.write("tasks.ndjson", "{\"text\": \"\"}\n{\"text\": \"\"}\n")
    let result = try program.run("--local", "import", "tasks.ndjson", "--report", "import.html")
    #expect(result.status == 5 && result.errors.contains("wrote the report import.html"), "\(result)")
    let page = try String(contentsOf: program.folder.appending(path: "import.html"), encoding: .utf8)
    let failures = try #require(page.range(of: "id=\"failures\""))
    let charts = try #require(page.range(of: "id=\"charts\""))
    #expect(failures.lowerBound < charts.lowerBound)
    #expect(page.contains("<b>Rows a second</b>"))
    #expect(!page.contains("<b>Latency</b>") && !page.contains("<b>Requests at once</b>"))
  }
}
