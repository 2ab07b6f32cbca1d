import Lua

/// The command line of a command, declared once: parsing, errors, help, completion and manual pages come from it. A script
/// declares it to `term.options`.
package struct CommandDeclaration: Sendable {
  /// A word that is no option: `NAME`, `[NAME]` where it may be missing, `FILE...` or `[FILE...]` where there may be many.
  package struct Position: Sendable {
    package let spelling: String
    package let doc: String
    /// The words to choose from; empty where any word may stand.
    package let choices: [String]
    var isOptional: Bool { spelling.hasPrefix("[") }
    var isMany: Bool { ["...", "...]", "…", "…]"].contains { spelling.hasSuffix($0) } }

    package init(_ spelling: String, _ doc: String, choices: [String] = []) {
      self.spelling = spelling
      self.doc = doc
      self.choices = choices
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
  /// The function that takes the options; nil where only the script reads them.
  let function: String?

  package init(
    _ command: String, _ summary: String, usage: [String] = [], notes: String? = nil, options: [CommandOption] = [],
    positions: [Position] = [], function: String? = nil
  ) {
    self.command = command
    self.summary = summary
    self.usage = usage
    self.notes = notes
    self.options = options
    self.positions = positions
    self.function = function
  }

  /// `error` in the words of the command line if it is about an option that the command line has passed to the function.
  func named(_ error: LuaError) -> LuaError {
    guard let function, let name = error.subject?.option(of: function), let problem = error.subject?.problem,
      let option = options.first(where: { $0.key == name })
    else { return error }
    return .usage("\(command): \(option.longName): \(problem)", option, hint: error.hint)
  }
}
