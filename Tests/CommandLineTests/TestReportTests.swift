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
        not ok 2 - odd_test.lua: fails\u{20}\u{20}
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
