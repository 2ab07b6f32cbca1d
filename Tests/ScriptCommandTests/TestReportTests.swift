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
