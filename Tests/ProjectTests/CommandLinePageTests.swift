import CommandLineSupport
import Foundation
import Testing

/// The page of the command line against `help`.
@Suite("The page of the command line")
struct CommandLinePageTests {
  private static let folder = Program.project.appending(path: "Sources/b2c-run/Documentation.docc")

  private func page(_ name: String) throws -> String {
    try String(contentsOf: Self.folder.appending(path: name), encoding: .utf8)
  }

  /// The long options that a help text lists.
  private func options(_ help: String) -> [String] {
    help.split(separator: "\n").compactMap { line in
      line.firstMatch(of: #/^  (?:-\w, )?(--[a-z-]+)/#).map { String($0.output.1) }
    }
  }

  private func missing(_ options: [String], in text: String) -> [String] {
    options.filter { option in
      !text.ranges(of: option).contains { range in
        let next = text[range.upperBound...].first
        return next?.isLetter != true && next != "-"
      }
    }
  }

  @Test("names each option of the program, and each option of a command or links to a page that does")
  func options() throws {
    let program = try Program()
    let text = try page("CommandLine.md")
    let help = try program.run("help", "all").output
    #expect(missing(options(help), in: text) == [])
    let parts = help.split(separator: "commands that are Lua scripts", maxSplits: 1)
    let commands = parts[0].split(separator: "\n").compactMap { line in
      line.firstMatch(of: #/^  b2c-run ([a-z]+)/#).map { String($0.output.1) }
    }
    let scripts = try #require(parts.last?.split(separator: "\nconcepts ").first).split(separator: "\n").compactMap {
      line in line.firstMatch(of: #/^  ([a-z-]+) /#).map { String($0.output.1) }
    }
    #expect(commands.contains("serve") && scripts.contains("sync"))
    for name in commands + scripts {
      let rows = text.split(separator: "\n").filter { row in
        ["| `b2c-run \(name)", "| `\(name)"].contains { start in
          row.hasPrefix(start) && row.dropFirst(start.count).first?.isLetter == false
        }
      }
      #expect(!rows.isEmpty, "no row for \(name)")
      let links = rows.joined().matches(of: #/\]\(([A-Za-z-]+\.md)/#).map { String($0.output.1) }
      let pages = try Set(links).map { try page($0) }.joined()
      let all = options(
        try program.run("help", name).output.split(separator: "\n\n").first {
          $0.hasPrefix("options\n")
        }.map(String.init) ?? "")
      #expect(missing(all.filter { $0 != "--help" }, in: text + pages) == [], "\(name)")
    }
  }
}
