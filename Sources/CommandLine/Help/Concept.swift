import Core
import Files

/// A concept that `help` explains, from the page of the documentation that has all of them.
package struct Concept: Sendable {
  package let name: String
  /// Markdown.
  let paragraphs: [String]

  /// The concepts of the page; none where the documentation is not installed.
  package static let all: [Concept] = {
    guard let bytes = try? FileSystem.contents(of: "\(ProgramFolder.documentation)/Concepts.md") else { return [] }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n## ").dropFirst().map { section in
      let lines = section.split(separator: "\n", maxSplits: 1)
      return Concept(
        name: String(lines[0]), paragraphs: lines.dropFirst().flatMap { $0.split(separator: "\n\n") }.map(String.init))
    }
  }()

  /// The text for a terminal. A link becomes the path of the page.
  package func page(width: Int) -> String {
    var page = PageText(width: width)
    page.add(name)
    for paragraph in paragraphs {
      page.addBreak()
      if isCode(paragraph) { page.add(code: paragraph, indent: 0) } else { page.add(plain(paragraph), indent: 2) }
    }
    return page.text
  }

  /// True if the paragraph stands as it is, since it is indented.
  func isCode(_ paragraph: String) -> Bool { paragraph.drop { $0 == "\n" }.hasPrefix("    ") }

  func plain(_ paragraph: String, linksTo folder: String = ProgramFolder.documentation + "/") -> String {
    paragraph.replacing(#/\[([^\]]+)\]\(([A-Za-z0-9-]+\.md)[^)]*\)/#) {
      "\($0.output.1) (\(folder)\($0.output.2))"
    }.replacing("`", with: "")
  }
}
