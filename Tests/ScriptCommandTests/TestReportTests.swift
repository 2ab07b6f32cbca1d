import CommandLineSupport
import Foundation
import FoundationXML
import Testing

@Suite("Reports of b2c-run test")
struct TestReportTests {
  private static let tests = """
    it("passes # <&> \\\\", function() end)
    it("fails\\n\\1", function() print("<&]]>\\27") expect("<a>").to_equal("\\"b\\"") end)
    it("raises", function() error { code = "odd", message = "so" } end)
    pending "waits"
    """

  @Test("junit is well-formed XML with the counts of every suite; people read standard error")
  func junit() throws {
    let program = try Program()
    try program.write("in/odd_test.lua", Self.tests)
    let result = try program.run("test", "--report", "junit")
    #expect(result.status == 1)
    #expect(result.errors.contains("1 passed, 2 failed, 1 pending in "), "\(result)")
    let reader = Reader()
    let parser = XMLParser(data: Data(result.output.utf8))
    parser.delegate = reader
    #expect(parser.parse(), "\(result.output)")
    let suite = try #require(reader.elements.first { $0.name == "testsuite" }?.attributes)
    #expect([suite["tests"], suite["failures"], suite["errors"], suite["skipped"]] == ["4", "1", "1", "1"])
    let cases = reader.elements.filter { $0.name == "testcase" }.map(\.attributes)
    #expect(cases.map { $0["name"] } == ["passes # <&> \\", "fails\n\u{FFFD}", "raises", "waits"])
    #expect(cases.allSatisfy { $0["classname"] == "in.odd_test" && $0["file"] == "in/odd_test.lua" })
    #expect(reader.elements.first { $0.name == "failure" }?.attributes["message"] == #"expected "\"b\"", got "<a>""#)
    #expect(reader.elements.first { $0.name == "error" }?.attributes["type"] == "odd")
  }

  @Test("a line is shown of Lua files of the test's folder, not of whatever file a chunk is named after")
  func source() throws {
    let program = try Program()
    let canary = "canary\(UUID().uuidString.prefix(8))"
    try program.write("outside.lua", "-- \(canary)")
    try program.write("secret.txt", canary)
    try program.write("in/settings.plist", canary)
    try program.write("in/.env", canary)
    try program.write("in/part.lua", "return function() error 'part' end -- shown")
    for (name, target) in [("link.lua", "../secret.txt"), ("linked", "..")] {
      try FileManager.default.createSymbolicLink(
        atPath: program.folder.appending(path: "in/\(name)").path, withDestinationPath: target)
    }
    try program.write(
      "in/odd_test.lua",
      """
      for _, name in ipairs {
        "outside.lua", "../outside.lua", "secret.txt", "\(program.folder.path)/secret.txt", "in/link.lua", "in/linked/outside.lua",
        "in/settings.plist", "in/.env", "in/../outside.lua", "./outside.lua", "/etc/passwd", "/proc/self/environ", "in",
      } do
        it(name, function() load("error 'odd'", "@" .. name, "t")() end)
      end
      it("own", function() error "own" end)
      it("part", function() dofile "in/part.lua" () end)
      """)
    for report in [[], ["--report", "tap"], ["--report", "junit"]] {
      let result = try program.run(list: ["test", "in"] + report)
      let text = result.output + result.errors
      #expect(!text.contains(canary) && !text.contains("root:x:"), "\(result)")
      #expect(text.contains(":5") || text.contains("own"), "\(result)")
    }
    let people = try program.run("test", "in").output
    #expect(people.contains(":  it(\"own\", function() error \"own\" end)"), "\(people)")
    #expect(people.contains("-- shown"), "\(people)")
  }

  @Test("nothing that a test says moves the cursor")
  func controlCharacters() throws {
    let program = try Program()
    try program.write(
      "odd\u{1B}[2J_test.lua",
      """
      local odd = "\\27[2J\\27]0;title\\7\\r\\u{202E}\\u{9B}"
      it("n" .. odd, function() error("m" .. odd) end)
      it("code", function() error { code = "c" .. odd, message = "m\\n" .. odd, hint = "h" .. odd } end)
      it("compares", function() expect(odd).to_equal(odd .. "x") end)
      it("differs", function() expect({ [odd] = odd }).to_equal({ [odd] = 1 }) end)
      it("prints", function() print(odd) require "b2c.log".warn(odd) error(odd) end)
      it("chunk", function() load("error 'x'", "=c" .. odd)() end)
      it("asks", function()
        local b2c = require "b2c"
        b2c.http.get(b2c.tenant.url .. "/%1b%5b2J", { raise = false })
        error "x"
      end)
      """)
    for report in [[], ["--report", "tap"], ["--report", "junit"]] {
      let result = try program.run(list: ["test"] + report)
      #expect(result.status == 1)
      for text in [result.output, result.errors] {
        let odd = text.unicodeScalars.filter { scalar in
          scalar.properties.generalCategory == .control && scalar != "\n" && scalar != "\t"
        }
        #expect(odd.isEmpty, "\(report) \(text.debugDescription)")
      }
    }
    #expect(!(try program.run("test").output.contains("\u{202E}")))
  }

  @Test("tap is version 14, with a plan, escaped names and a block for each failure")
  func tap() throws {
    let program = try Program()
    try program.write("odd_test.lua", Self.tests)
    let output = try program.run("test", "--report", "tap").output
    #expect(
      output == """
        TAP version 14
        1..4
        ok 1 - odd_test.lua: passes \\# <&> \\\\
        not ok 2 - odd_test.lua: fails⏎␁
          ---
          message: "expected \\"\\\\\\"b\\\\\\"\\", got \\"<a>\\""
          code: "expectation_failed"
          at: "odd_test.lua:2"
          source: "it(\\"fails\\\\n\\\\1\\", function() print(\\"<&]]>\\\\27\\") expect(\\"<a>\\").to_equal(\\"\\\\\\"b\\\\\\"\\") end)"
          expected: "\\"\\\\\\"b\\\\\\"\\""
          got: "\\"<a>\\""
          output: "<&]]>\\u001b\\n"
          ...
        not ok 3 - odd_test.lua: raises
          ---
          message: "so"
          code: "odd"
          at: "odd_test.lua:3"
          ...
        ok 4 - odd_test.lua: waits # SKIP pending

        """)
  }

  private final class Reader: NSObject, XMLParserDelegate {
    var elements: [(name: String, attributes: [String: String])] = []

    func parser(
      _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
      attributes: [String: String]
    ) {
      elements.append((name, attributes))
    }
  }
}
