import Documentation
import LuaBindings

/// What can stand on the command line, for completion by shells.
struct CommandLineWords {
  /// What belongs behind an option, or behind a command.
  enum Value: Equatable {
    case words([String])
    /// Those whose names end like this, and folders; nil for all.
    case files(ending: String?)
    case folders
    /// What `b2c-run completions KIND` lists when the key is pressed.
    case names(CompletedNames)
    case anything

    /// What can be run.
    static let scripts = files(ending: ".lua")

    /// By what the usage calls it: `FILE`, `[PATH…]`.
    /// - Parameters:
    ///   - fileEnding: what the names of files end in, if there are no others.
    ///   - command: what it stands behind; nil for the options of all.
    init(_ placeholder: String, fileEnding: String? = nil, behind command: String? = nil) {
      let name = placeholder.filter { $0.isLetter || $0 == "=" }
      self =
        switch name {
        case "FILE", "PATH", "DATA", "OUT": .files(ending: fileEnding)
        case "DIR", "FOLDER": .folders
        default: CompletedNames(name, behind: command).map(Self.names) ?? .anything
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

  /// What a command does by the word behind it, such as `list` behind `tasks`.
  struct Form {
    let word: String
    /// Nil where nothing stands behind it.
    let operand: Value?

    /// - Parameters:
    ///   - usage: `add TEXT... [--json]`. Nil where it does not begin with such a word.
    ///   - fileEnding: what the names of files end in, if there are no others.
    ///   - command: what it stands behind.
    init?(_ usage: String, fileEnding: String? = nil, behind command: String? = nil) {
      let parts = usage.split(separator: " ").filter { !$0.contains(/^\[?-/) }
      guard let word = parts.first, word.contains(/^[a-z][a-z-]*$/) else { return nil }
      self.word = String(word)
      operand = parts.dropFirst().first.map { Value(String($0), fileEnding: fileEnding, behind: command) }
    }
  }

  struct Subcommand {
    let name: String
    let summary: String
    let options: [Option]
    /// Whether the common options may stand behind it: a script's own are all that is behind its name.
    let takesCommonOptions: Bool
    /// What stands behind it; nil for nothing.
    let operand: Value?
    /// What depends on the first word behind it; empty where nothing does.
    let forms: [Form]

    init(
      _ name: String, _ summary: String, _ options: [Option], takesCommonOptions: Bool, operand: Value?, forms: [Form]
    ) {
      self.name = name
      self.summary = summary
      self.options = options
      self.takesCommonOptions = takesCommonOptions
      self.operand = forms.isEmpty ? operand : .words(forms.map(\.word))
      self.forms = forms
    }
  }

  let common: [Option]
  let commands: [Subcommand]

  /// - Parameters:
  ///   - scripts: the stock scripts with what they declare.
  ///   - topics: what `help` explains.
  init(scripts: [(name: String, summary: String, options: ScriptOptions?)], topics: [String]) {
    common = Flag.common.map(Option.init)
    let own = Command.all.map { command in
      let usage = command.operands.usage
      return Subcommand(
        command.name, command.summary, command.flags.map(Option.init), takesCommonOptions: true,
        operand: command.name == Command.help.name
          ? .words(topics) : usage.isEmpty ? nil : Value(usage, fileEnding: command.fileEnding),
        forms: command.forms.compactMap { Form($0, fileEnding: command.fileEnding) })
    }
    commands =
      own
      + scripts.map { script in
        Subcommand(
          script.name, script.summary, (script.options?.options ?? []).map(Option.init), takesCommonOptions: false,
          operand: script.options?.positions.first.map {
            $0.choices.isEmpty ? Value($0.spelling, behind: script.name) : .words($0.choices)
          },
          forms: (script.options?.usage ?? []).compactMap { Form($0, behind: script.name) })
      }
  }
}

extension CommandLineWords.Option {
  init(_ flag: Flag) {
    self.init(
      names: [flag.name],
      value: flag.value.map { value in
        if flag.name == "--account" { return .names(.accounts) }
        return flag.choices.isEmpty ? .init(value) : .words(flag.choices)
      },
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
