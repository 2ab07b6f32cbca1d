import Automation
import Documentation
import Lua

extension CommandDeclaration {
  /// The forms of the command: `b2c-run token [options] [NAME]`.
  package var usageLines: [String] {
    let forms = usage.isEmpty ? [(["[options]"] + positions.map(\.spelling)).joined(separator: " ")] : usage
    return forms.map { $0.isEmpty ? "b2c-run \(command)" : "b2c-run \(command) \($0)" }
  }

  /// The text that `--help` prints.
  /// - Parameter width: the columns of the terminal.
  package func help(width: Int) -> String {
    let words = positions.map { ($0.spelling, $0.doc) }
    let rows = options.map { ($0.spelling, $0.described) } + [("--help", "print this help")]
    let column = ((words + rows).map(\.0.count).max() ?? 0) + 4
    var page = PageText(width: width)
    if !summary.isEmpty { page.add(summary) }
    page.addBreak()
    for line in usageLines { page.add(code: line) }
    page.addBreak()
    for (word, doc) in words { page.add(word, doc, column: column) }
    page.addBreak()
    page.add("options")
    for (spelling, doc) in rows { page.add(spelling, doc, column: column) }
    if let notes {
      page.addBreak()
      page.add(notes)
    }
    return page.text
  }
}

extension Console {
  /// The columns that help is written in: those of the terminal, but no more than are easy to read.
  package static var helpWidth: Int { min(Console(descriptor: 1).width, 100) }
}

extension CommandOption {
  /// The description of the option, with its choices and its default value.
  package var described: String {
    var text = doc
    if !choices.isEmpty, !doc.contains(choices.joined(separator: ", ")) {
      text += ": \(choices.joined(separator: ", "))"
    }
    if let fallback = fallback.string ?? fallback.integer.map(String.init) { text += " (\(fallback) if not given)" }
    return text
  }
}
