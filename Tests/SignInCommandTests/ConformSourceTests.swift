import CommandLineSupport
import Foundation
import JSON
import Testing

/// The sources of the checks, and the page that counts them.
@Suite("Sources of b2c-run conform")
struct ConformSourceTests {
  private struct Check: Decodable {
    var id: String
    var source: String
    var elsewhere: [String]?
  }

  private func checks() throws -> [Check] {
    let result = try Program().run("conform", "list", "--json")
    return try JSONDecoder().decode([Check].self, from: Data(result.output.utf8))
  }

  @Test("the sections exist in the texts of the standards that were read")
  func sections() throws {
    let file = Program.project.appending(path: "Tests/Conform/sections.json")
    let sections = try JSONDecoder().decode([String: Set<String>].self, from: Data(contentsOf: file))
    var compared = 0
    for check in try checks() {
      var standard = ""
      for part in check.source.components(separatedBy: "; ") {
        let words = part.split(separator: ", ", maxSplits: 1).map(String.init)
        if words.count == 2 { standard = words[0] }
        guard let known = sections[standard] else { continue }
        // A number in parentheses is that of an item.
        let text = (words.last ?? "").replacing(#/\(\d+\)/#, with: "")
        for number in text.matches(of: #/\b(?:\d+(?:\.\d+)*|[A-Z](?:\.\d+)*)\b/#) {
          #expect(known.contains(String(number.output)), "\(check.id): \(part)")
          compared += 1
        }
      }
    }
    #expect(compared > 580)
  }

  @Test("the page has the coverage that the IDs tell")
  func coverage() throws {
    let page = try String(
      contentsOf: Program.project.appending(path: "Sources/b2c-run/Documentation.docc/Conform.md"), encoding: .utf8)
    let peers = Set(try checks().flatMap { $0.elsewhere ?? [] })
    let oauch = peers.count { $0.hasPrefix("oauch:") }
    #expect(page.contains("| 161 | \(oauch) (\(oauch * 100 / 161) %) |"))
    #expect(page.contains("| not counted | \(peers.count { $0.hasPrefix("oidf:") }) |"))
  }
}
