package import Automation
import Core

/// The command line of a command, declared once: parsing, errors, help, completion and manual pages come from it. A script
/// declares it to `term.options`.
package struct CommandDeclaration: Sendable {
  /// An argument: `NAME`, `[NAME]` where it may be missing, `FILE...` or `[FILE...]` where there may be many.
  package struct Position: Sendable {
    package let spelling: String
    package let doc: String
    /// The words to choose from; empty where any word may stand.
    package let choices: [String]
    /// The choice if there is no word.
    package let fallback: String
    var isOptional: Bool { spelling.hasPrefix("[") }
    var isMany: Bool { ["...", "...]", "…", "…]"].contains { spelling.hasSuffix($0) } }

    package init(_ spelling: String, _ doc: String, choices: [String] = [], fallback: String = "") {
      self.spelling = spelling
      self.doc = doc
      self.choices = choices
      self.fallback = fallback
    }
  }

  /// The name of the command in messages and help.
  package let command: String
  package let summary: String
  /// The forms of the command, in place of the one that is made of the positions.
  package let usage: [String]
  package let notes: String?
  package let options: [CommandOption]
  package let positions: [Position]

  package init(
    _ command: String, _ summary: String, usage: [String] = [], notes: String? = nil, options: [CommandOption] = [],
    positions: [Position] = []
  ) {
    self.command = command
    self.summary = summary
    self.usage = usage
    self.notes = notes
    self.options = options
    self.positions = positions
  }

  /// Throws for positions that are missing, too many, or none of the choices, and for an option that does nothing.
  /// - Parameter given: the names of the options, such as `json`.
  package func check(_ words: [String], _ given: Set<String>) throws(UsageError) {
    do {
      try checkPositions(words)
      try checkOptions(words, given)
    } catch { throw error.of(command) }
  }

  private func checkOptions(_ words: [String], _ given: Set<String>) throws(UsageError) {
    guard let first = positions.first, !first.choices.isEmpty else { return }
    let action = words.first ?? first.fallback
    // In the order of the declaration, so that the same one of several mistakes is reported each time.
    for option in options where given.contains(option.name) {
      guard let actions = option.actions, !actions.contains(action) else { continue }
      let others = actions.filter { !$0.isEmpty }.joined(separator: ", ")
      throw UsageError(
        "\(option.longName) has no effect with \(action.isEmpty ? "\(command) alone" : action)", option,
        hint: "leave it out\(others.isEmpty ? "" : "; it belongs to \(others)")")
    }
  }

  private func checkPositions(_ words: [String]) throws(UsageError) {
    for (position, word) in zip(positions, words) where !position.choices.isEmpty && !position.choices.contains(word) {
      let known = position.choices
      throw UsageError(
        "expected \(known.count == 1 ? "" : "one of ")\(known.joined(separator: ", ")), got '\(word)'",
        hint: Synonyms.action(word, among: known) ?? didYouMean(word, among: known)
          ?? (usage.count > 1 ? hintOfUsage : nil))
    }
    if words.count < positions.count, !positions[words.count].isOptional {
      let position = positions[words.count]
      throw UsageError("\(position.spelling) is missing: \(position.doc)")
    }
    if words.count > positions.count, positions.last?.isMany != true {
      throw UsageError("unexpected argument '\(words[positions.count])'", hint: hintOfUsage)
    }
  }

  private var hintOfUsage: String { "the command is \(usageLines.joined(separator: " or "))" }

  /// The forms of the command: `b2c-run token [options] [NAME]`.
  package var usageLines: [String] {
    let forms = usage.isEmpty ? [(["[options]"] + positions.map(\.spelling)).joined(separator: " ")] : usage
    return forms.map { $0.isEmpty ? "b2c-run \(command)" : "b2c-run \(command) \($0)" }
  }

  /// The text of `--help`.
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
