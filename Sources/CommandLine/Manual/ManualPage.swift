import Core

/// A manual page: source for man(7), without a line that mandoc or groff warns of.
package struct ManualPage: Sendable {
  /// The version of the program and the day of its release.
  package struct Release: Sendable {
    let text: String
    let date: String

    package init(_ text: String, _ date: String) {
      self.text = text
      self.date = date
    }
  }

  /// The name without the section: `b2c-run-import`.
  package let name: String
  /// 1 for commands, 5 for files.
  package let section: Int
  package var text: String
  private var lastTitle = ""

  /// `b2c-run-import.1`
  package var file: String { "\(name).\(section)" }

  /// Begins a page.
  package init(_ name: String, section: Int = 1, _ summary: String, _ release: Release) {
    self.name = name
    self.section = section
    text = ".TH \(name.uppercased()) \(section) \(release.date) \"b2c-run \(release.text)\" \"b2c-run\"\n"
    begin("NAME")
    add("\(name) - \(summary.hasSuffix(".") ? String(summary.dropLast()) : summary)", isName: true)
  }

  /// Begins a section.
  package mutating func begin(_ title: String) {
    lastTitle = title
    text += ".SH \(title)\n"
  }
  mutating func begin(part title: String) { text += ".SS \(Self.escaped(title))\n" }
  /// Begins a paragraph.
  package mutating func addBreak() { text += ".PP\n" }

  /// Forms of a command, one a line.
  mutating func add(synopsis lines: [String]) {
    text += lines.map { ".B \(Self.escaped($0))\n" }.joined(separator: ".br\n")
  }

  /// A term and its description.
  package mutating func item(_ term: String, _ words: String) {
    text += ".TP\n.B \(Self.escaped(term))\n"
    add(words)
  }

  /// Lines that stay as they are.
  package mutating func add(code: String) {
    if !text.hasSuffix("\n.SH \(lastTitle)\n") { addBreak() }
    text += ".in +4n\n.EX\n"
    for line in code.split(separator: "\n", omittingEmptySubsequences: false) { text += "\(Self.protected(line))\n" }
    text += ".EE\n.in\n"
  }

  /// The list of related pages, at the end.
  package mutating func seeAlso(_ pages: [(name: String, section: Int)]) {
    begin("SEE ALSO")
    for (index, page) in pages.enumerated() {
      text += ".BR \(Self.escaped(page.name)) (\(page.section))\(index == pages.count - 1 ? "" : " ,")\n"
    }
  }

  /// Paragraphs of Markdown, as the page of the concepts has them.
  package mutating func add(_ concept: Concept) {
    for (index, paragraph) in concept.paragraphs.enumerated() {
      if concept.isCode(paragraph) {
        let lines = paragraph.split(separator: "\n").map { $0.hasPrefix("    ") ? String($0.dropFirst(4)) : String($0) }
        add(code: lines.joined(separator: "\n"))
      } else {
        if index > 0 { addBreak() }
        // The page is installed in another folder than the one it is written in, so it names files alone.
        add(concept.plain(paragraph, linksTo: ""))
      }
    }
  }

  /// A paragraph, in lines of at most 80 bytes, which mandoc asks for.
  package mutating func add(_ paragraph: String, isName: Bool = false) {
    var line = ""
    for word in paragraph.split(whereSeparator: \.isWhitespace) {
      // The dash between a page's name and its summary is not a part of a word.
      let word = isName && word == "-" ? "\\-" : Self.escaped(word)
      if !line.isEmpty, line.utf8.count + 1 + word.utf8.count > 78 {
        text += Self.shielded(line) + "\n"
        line = ""
      }
      line += line.isEmpty ? word : " " + word
    }
    if !line.isEmpty { text += Self.shielded(line) + "\n" }
  }

  private static func protected(_ line: some StringProtocol) -> String { shielded(escaped(line)) }

  /// The text without characters that troff would take for its own. A hyphen stays one that can be copied.
  private static func escaped(_ text: some StringProtocol) -> String {
    String(text).replacing("\\-", with: "-").replacing("\\", with: "\\e").replacing("-", with: "\\-")
      .replacing("…", with: "...")
  }

  /// The line, not taken for a request.
  private static func shielded(_ line: String) -> String {
    line.hasPrefix(".") || line.hasPrefix("'") ? "\\&\(line)" : line
  }
}
