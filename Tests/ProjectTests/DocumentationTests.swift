import CommandLineSupport
import Foundation
import Testing

/// Runs the code blocks of the documentation. Each block of Lua is a script, unless it follows a comment:
/// `<!-- fragment: WHY -->` marks a block that does not run alone. `<!-- test -->` marks a test file that passes.
/// `<!-- file: PATH -->` marks the last lines of that file. `<!-- terminal: KEYS -->` marks a script that runs on a
/// terminal, on which these keys are pressed. `DocumentationCommandTests` runs the commands.
@Suite("The documentation")
struct DocumentationTests {
  struct Block: Sendable, CustomTestStringConvertible {
    var page: String
    var line: Int
    var language: String
    var mark: String
    var code: String

    var testDescription: String { "\(page):\(line)" }
  }

  static let pages: [String] = {
    let catalog = "Sources/b2c-run/Documentation.docc"
    let folder = Program.project.appending(path: catalog).path
    let articles = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
    return ["README.md"] + articles.filter { $0.hasSuffix(".md") }.map { "\(catalog)/\($0)" }
  }()

  static let allBlocks = pages.flatMap(allBlocks)
  static let blocks = allBlocks.filter { $0.language == "lua" && !$0.mark.hasPrefix("<!-- write: ") }

  /// Returns the blocks between ``` and ```, in order.
  static func allBlocks(of page: String) -> [Block] {
    let text = (try? String(contentsOf: Program.project.appending(path: page), encoding: .utf8)) ?? ""
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    var blocks: [Block] = []
    var start: Int?
    for (index, line) in lines.enumerated() {
      if let first = start, line == "```" {
        let mark = lines[..<first].last { !$0.isEmpty }.map(String.init) ?? ""
        let code = lines[(first + 1)..<index].joined(separator: "\n") + "\n"
        let language = String(lines[first].dropFirst(3))
        blocks.append(Block(page: page, line: first + 1, language: language, mark: mark, code: code))
        start = nil
      } else if start == nil, line.hasPrefix("```") {
        start = index
      }
    }
    return blocks
  }

  @Test(
    "every block of Lua runs",
    arguments: blocks.filter { !$0.mark.hasPrefix("<!-- fragment: ") && !$0.mark.hasPrefix("<!-- terminal: ") })
  func runs(block: Block) throws {
    let program = try Program()
    try FileManager.default.copyItem(
      at: Program.project.appending(path: "examples"), to: program.folder.appending(path: "examples"))
    for file in Self.allBlocks(of: block.page) where file.mark.hasPrefix("<!-- write: ") {
      try program.write(String(file.mark.dropFirst("<!-- write: ".count).dropLast(" -->".count)), file.code)
    }
    // The same number of lines in front, so that an error names the line of the page.
    try program.write("page.lua", String(repeating: "\n", count: block.line) + block.code)
    if block.mark == "<!-- test -->" {
      try FileManager.default.moveItem(
        at: program.folder.appending(path: "page.lua"), to: program.folder.appending(path: "page_test.lua"))
    }
    let result =
      try block.mark == "<!-- test -->"
      ? program.run("test", "page_test.lua") : program.run("--local", "--timeout", "60", "page.lua")
    #expect(result.status == 0, "\(block.page): \(result)")
  }

  @Test(
    "what needs a terminal runs on one, with these keys",
    arguments: blocks.filter { $0.mark.hasPrefix("<!-- terminal: ") })
  func runsOnTerminal(block: Block) throws {
    let program = try Program()
    let session = try TerminalSession(program, ["--local", program.write("page.lua", block.code)])
    try session.see("the screen") { $0.isAlternate }
    session.type(
      String(block.mark.dropFirst("<!-- terminal: ".count).dropLast(" -->".count)).replacing("\\r", with: "\r"))
    #expect(session.end() == 0, "\(block.page): \(session.screen)")
  }

  @Test(
    "what a page shows of a file is what the file holds", arguments: blocks.filter { $0.mark.hasPrefix("<!-- file: ") })
  func shows(block: Block) throws {
    let path = block.mark.dropFirst("<!-- file: ".count).prefix { $0 != " " }
    let file = try String(contentsOf: Program.project.appending(path: String(path)), encoding: .utf8)
    #expect(file.hasSuffix(block.code), "\(block.page) shows \(path) as it was; copy it again")
  }

  @Test("there are blocks, and few that do not run")
  func coverage() {
    #expect(Self.pages.count > 7)
    #expect(Self.blocks.count > 10)
    #expect(Self.blocks.filter { $0.mark.hasPrefix("<!-- fragment: ") }.count < 3)
  }

  @Test("the codes that Troubleshooting explains are codes of the program")
  func codes() throws {
    let page = try String(
      contentsOf: Program.project.appending(path: "Sources/b2c-run/Documentation.docc/Troubleshooting.md"),
      encoding: .utf8)
    let codes = Set(page.matches(of: #/`([a-z]+(?:_[a-z0-9]+)+)`/#).map { String($0.1) })
    #expect(codes.count > 15)
    var sources = ""
    let folder = Program.project.appending(path: "Sources")
    for case let name as String in try #require(FileManager.default.enumerator(atPath: folder.path))
    where name.hasSuffix(".swift") {
      sources += try String(contentsOf: folder.appending(path: name), encoding: .utf8)
    }
    for code in codes {
      let words = code.split(separator: "_")
      let camel = words.dropFirst().reduce(String(words[0])) { $0 + $1.capitalized }
      #expect(sources.contains("\"\(code)\"") || sources.contains("case \(camel)"), "no error has the code \(code)")
    }
  }

  /// The anchor that repositories' web pages give a heading.
  private static func anchor(_ heading: Substring) -> String {
    heading.lowercased().replacing(" ", with: "-").filter { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }
  }

  @Test(
    "links between pages lead somewhere",
    arguments: pages + ["CONTRIBUTING.md", "CHANGELOG.md", "bench/README.md"])
  func links(page: String) throws {
    let text = try String(contentsOf: Program.project.appending(path: page), encoding: .utf8)
    #expect(!text.contains("<doc:"), "\(page): a web page does not know <doc:…>; write [title](Page.md)")
    for link in text.matches(of: #/\]\(([^)#:]+)(?:#([^)]*))?\)/#) {
      let file = Program.project.appending(path: page).deletingLastPathComponent().appending(path: String(link.1))
      #expect(FileManager.default.fileExists(atPath: file.path), "\(page): \(link.1)")
      guard let anchor = link.2 else { continue }
      let headings = try String(contentsOf: file, encoding: .utf8).matches(of: #/(?m)^#+ (.+)$/#).map {
        Self.anchor($0.1)
      }
      #expect(headings.contains(String(anchor)), "\(page): \(link.1) has no section #\(anchor)")
    }
  }
}
