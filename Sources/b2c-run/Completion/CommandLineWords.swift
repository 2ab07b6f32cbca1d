import Documentation
import LuaBindings

/// What can stand on the command line, for completion by shells.
struct CommandLineWords {
  /// What belongs behind an option, or behind a command.
  enum Value: Equatable {
    case words([String])
    case files
    case folders
    case anything

    /// By what the usage calls it: `FILE`, `[PATH…]`.
    init(_ placeholder: String) {
      let name = placeholder.filter { $0.isLetter || $0 == "=" }
      self =
        switch name {
        case "FILE", "PATH", "DATA": .files
        case "DIR", "FOLDER": .folders
        default: .anything
        }
    }
  }

  struct Option {
    /// `--limit`, and `-n` if it has a short form.
    let names: [String]
    /// Nil for a switch.
    let value: Value?
    /// Whether a value stands behind a `=` only.
    let isValueOptional: Bool
    let doc: String
  }

  struct Subcommand {
    let name: String
    let summary: String
    let options: [Option]
    /// Whether the common options may stand behind it: a script's own are all that is behind its name.
    let takesCommonOptions: Bool
    /// Nil where nothing stands behind it.
    let operand: Value?
  }

  let common: [Option]
  let commands: [Subcommand]

  /// - Parameters:
  ///   - scripts: the stock scripts with what they declare.
  ///   - topics: what `help` explains.
  init(scripts: [(name: String, summary: String, options: ScriptOptions?)], topics: [String]) {
    common = Flag.common.map(Option.init)
    let own = Command.all.map { command in
      let words = command.name == Command.help.name ? topics : command.words
      return Subcommand(
        name: command.name, summary: command.summary, options: command.flags.map(Option.init), takesCommonOptions: true,
        operand: command.operands.usage.isEmpty ? nil : words.isEmpty ? Value(command.operands.usage) : .words(words))
    }
    commands =
      own
      + scripts.map { script in
        Subcommand(
          name: script.name, summary: script.summary, options: (script.options?.options ?? []).map(Option.init),
          takesCommonOptions: false,
          operand: script.options?.positions.first.map { $0.choices.isEmpty ? Value($0.spelling) : .words($0.choices) })
      }
  }
}

extension CommandLineWords.Option {
  init(_ flag: Flag) {
    self.init(
      names: [flag.name], value: flag.value.map { flag.choices.isEmpty ? .init($0) : .words(flag.choices) },
      isValueOptional: flag.isValueOptional, doc: flag.doc)
  }

  init(_ option: ScriptOptions.Option) {
    self.init(
      names: (option.letter.map { ["-\($0)"] } ?? []) + ["--\(option.name)"],
      value: option.placeholder.map { option.choices.isEmpty ? .init($0) : .words(option.choices) },
      isValueOptional: false, doc: option.doc)
  }

  var longName: String { names.last ?? "" }
}
