import CommandLineSupport
import Foundation
import Testing

/// The commands that the documentation shows, run in the order of their page, in a folder of the page's own. A block behind
/// `<!-- write: PATH -->` is written there first.
///
/// A block of `console` has commands behind `$ ` and below each what it prints, where … stands for anything, or for any
/// number of lines; it ends with the status 0, or that of `<!-- status: N -->`. Behind `<!-- session -->` the command has a
/// terminal, on which is typed what stands behind `> `. A block of `sh` is a script of bash. What cannot run is behind
/// `<!-- fragment: WHY -->`.
@Suite("The commands of the documentation", .timeLimit(.minutes(5)))
struct DocumentationCommandTests {
  typealias Block = DocumentationTests.Block

  static let pages = DocumentationTests.pages.filter { page in
    DocumentationTests.allBlocks.contains { $0.page == page && $0.isForCommands }
  }

  @Test("every command does what its page says", arguments: pages)
  func runs(page: String) throws {
    let program = try Program()
    try FileManager.default.copyItem(
      at: Program.project.appending(path: "examples"), to: program.folder.appending(path: "examples"))
    for block in DocumentationTests.allBlocks where block.page == page && block.isForCommands {
      if let path = block.value(of: "write") {
        try program.write(path, block.code)
      } else if block.language == "sh" {
        let result = try Self.run("set -e\n" + block.code, program)
        #expect(result.status == 0, "\(page):\(block.line): \(result.output)")
      } else if block.mark == "<!-- session -->" {
        try Self.hold(block, program)
      } else {
        for command in Command.all(of: block) {
          let result = try Self.run(command.line, program)
          let place = "\(page):\(command.number): \(command.line)"
          #expect(result.status == Int32(block.value(of: "status") ?? "0"), "\(place)\n\(result.output)")
          #expect(command.expects(result.output), "\(place)\n\(result.output)expected\n\(command.output)")
        }
      }
    }
  }

  @Test("what is shown with its output is run", arguments: DocumentationTests.pages)
  func isRun(page: String) throws {
    let text = try String(contentsOf: Program.project.appending(path: page), encoding: .utf8)
    #expect(!text.contains("\n    $ "), "\(page): put commands with their output between ```console and ```")
  }

  @Test("the tutorial shows commands, and few that do not run")
  func coverage() {
    let blocks = DocumentationTests.allBlocks.filter { ["sh", "console"].contains($0.language) }
    #expect(Self.pages.contains { $0.hasSuffix("/Tutorial.md") })
    #expect(blocks.count > 10)
    #expect(blocks.filter { $0.value(of: "fragment") != nil }.count < 5)
  }

  @Test("… stands for anything")
  func wildcards() {
    let command = Command(line: "", number: 1, output: "a … c\n…\nend.\n")
    #expect(command.expects("a bb c\nend.\n"))
    #expect(command.expects("a  c\nx\ny\nend.\n"))
    #expect(!command.expects("a b\nend.\n"))
    #expect(!command.expects("a b c\nendX\n"))
    #expect(!command.expects("a b c\nend.\nmore\n"))
  }

  /// Types the lines that a session shows after its prompts, and waits for the other lines.
  private static func hold(_ block: Block, _ program: Program) throws {
    let lines = block.code.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    let command = try #require(lines.first).split(separator: " ").dropFirst(2).map(String.init)
    let session = try TerminalSession(program, command)
    for line in lines.dropFirst() {
      if let prompt = [">> ", "> "].first(where: line.hasPrefix) {
        try session.expect(prompt)
        session.type(line.dropFirst(prompt.count) + "\r")
      } else {
        for part in line.components(separatedBy: "…") where !part.isEmpty { try session.expect(part) }
      }
    }
    try session.expect("> ")
    session.type("\u{4}")
    #expect(session.end() == 0, "\(block.page):\(block.line): \(session.screen)")
  }

  private static func run(_ line: String, _ program: Program) throws -> Program.Result {
    let folder = Program.binary.deletingLastPathComponent().path
    return try program.run(
      list: ["-c", "PATH='\(folder)':$PATH; exec 2>&1; \(line)"], executable: URL(filePath: "/bin/bash"))
  }
}

/// One command of a block, and its expected output.
private struct Command {
  let line: String
  /// The number of the command's line on its page.
  let number: Int
  var output: String

  static func all(of block: DocumentationTests.Block) -> [Command] {
    var commands: [Command] = []
    for (offset, line) in block.code.split(separator: "\n", omittingEmptySubsequences: false).dropLast().enumerated() {
      if line.hasPrefix("$ ") {
        commands.append(Command(line: String(line.dropFirst(2)), number: block.line + 1 + offset, output: ""))
      } else if !commands.isEmpty {
        commands[commands.count - 1].output += line + "\n"
      }
    }
    return commands
  }

  func expects(_ text: String) -> Bool {
    var pattern = "^"
    for line in output.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
      if line == "…" {
        pattern += "(?:.*\n)*?"
      } else {
        let parts = line.components(separatedBy: "…").map(NSRegularExpression.escapedPattern)
        pattern += parts.joined(separator: ".*") + "\n"
      }
    }
    return text.range(of: pattern + "$", options: .regularExpression).map { $0.upperBound == text.endIndex } ?? false
  }
}

extension DocumentationTests.Block {
  /// Returns VALUE of the comment in front of the block: `<!-- NAME: VALUE -->`.
  fileprivate func value(of name: String) -> String? {
    let start = "<!-- \(name): "
    return mark.hasPrefix(start) && mark.hasSuffix(" -->") ? String(mark.dropFirst(start.count).dropLast(4)) : nil
  }

  fileprivate var isForCommands: Bool {
    value(of: "write") != nil || ["sh", "console"].contains(language) && value(of: "fragment") == nil
  }
}
