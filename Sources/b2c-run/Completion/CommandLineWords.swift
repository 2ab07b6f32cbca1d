import LuaKit

struct CommandLineWords {
  enum Value: Equatable {
    case words([String])
    /// Files whose names end like this, and folders; nil for all files.
    case files(ending: String?)
    case folders
    /// The names that `b2c-run completions KIND` lists when the key is pressed.
    case names(CompletedNames)
    case anything

    static let scripts = files(ending: ".lua")

    /// - Parameter placeholder: `FILE`, `[PATH…]`.
    /// - Parameter command: the script before it; nil for an option and for a command of the program.
    init(_ placeholder: String, fileEnding: String? = nil, behind command: String? = nil) {
      let name = placeholder.filter { $0.isLetter || $0 == "=" }
      self =
        switch name {
        case "FILE", "PATH", "DATA", "OUT": .files(ending: fileEnding)
        case "DIR", "FOLDER", "FROM": .folders
        default: CompletedNames(name, behind: command).map(Self.names) ?? .anything
        }
    }
  }

  /// A form of a command that begins with a word, such as `list` behind `tasks`.
  struct Form {
    let word: String
    /// Nil where nothing stands behind it.
    let operand: Value?

    /// - Parameter usage: `add TEXT... [--json]`. Nil where it does not begin with such a word.
    init?(_ usage: String, fileEnding: String?, behind command: String?) {
      let parts = usage.split(separator: " ").filter { !$0.contains(/^\[?-/) }
      guard let word = parts.first, word.contains(/^[a-z][a-z-]*$/) else { return nil }
      self.word = String(word)
      operand = parts.dropFirst().first.map { Value(String($0), fileEnding: fileEnding, behind: command) }
    }
  }

  struct Subcommand {
    let name: String
    let summary: String
    let options: [CommandOption]
    /// True if the common options may stand behind it; the options behind a script are its own.
    let takesCommonOptions: Bool
    /// The first word behind it; nil for nothing.
    let operand: Value?
    let forms: [Form]

    /// - Parameter command: the command of the program; nil for a script.
    init(_ declaration: CommandDeclaration, _ command: Command? = nil, topics: [String] = []) {
      let ending = command?.fileEnding
      let behind = declaration.command
      name = declaration.command
      summary = declaration.summary
      options = declaration.options
      takesCommonOptions = command != nil
      forms = declaration.usage.compactMap { Form($0, fileEnding: ending, behind: behind) }
      let first = declaration.positions.first.map {
        $0.choices.isEmpty ? Value($0.spelling, fileEnding: ending, behind: behind) : .words($0.choices)
      }
      operand = name == Command.help.name ? .words(topics) : forms.isEmpty ? first : .words(forms.map(\.word))
    }
  }

  let common = Flag.common.map(\.option)
  let commands: [Subcommand]

  init(_ scripts: [CommandDeclaration], topics: [String]) {
    commands = Command.all.map { Subcommand($0.declaration, $0, topics: topics) } + scripts.map { Subcommand($0) }
  }
}

extension CommandOption {
  /// The kind of its value; nil for a switch.
  var value: CommandLineWords.Value? {
    placeholder.map { placeholder in
      guard choices.isEmpty else { return .words(choices) }
      return name == "account" ? .names(.accounts) : .init(placeholder)
    }
  }
}

/// Names that only the moment of the key press knows; the scripts for shells ask `b2c-run completions KIND` for them.
enum CompletedNames: String, CaseIterable {
  case accounts, imports, commands, jobs, runs, secrets

  /// The kind of names that the placeholder behind a command stands for; nil for any other placeholder.
  init?(_ placeholder: String, behind command: String?) {
    switch (command, placeholder) {
    case ("accounts", "NAME"), ("sign-out", "NAME"): self = .accounts
    case ("imports", "ID"): self = .imports
    case ("jobs", "JOB"), ("jobs", "JOBFILE"): self = .jobs
    case ("jobs", "RUN"): self = .runs
    case ("secrets", "NAME"): self = .secrets
    default: return nil
    }
  }
}
