package import Automation
import HostLoop

/// A command of the program: a type whose properties are its own options. The other commands are scripts, in `scripts/`.
package protocol Command: Sendable {
  static var form: CommandForm { get }
  /// The options of this command alone.
  static var flags: [Flag<Self>] { get }
  init()
  /// Carries the command out.
  /// - Parameter words: the arguments of the command, without its options.
  @HostActor func run(_ words: [String], _ run: RunOptions, _ console: Console) async throws -> ExitStatus
}

/// The declaration of a command without its options.
package struct CommandForm: Sendable {
  package let name: String
  package let summary: String
  package var positions: [CommandDeclaration.Position] = []
  package var usage: [String] = []
  /// First words that no help shows.
  package var hiddenWords: Set<String> = []
  /// The end of the names of its files; nil where it takes files of any name.
  package var fileEnding: String?
  /// True if --timeout is for each part of it, such as a test, not for all of it.
  package var limitsParts = false
  /// True if --watch can run it again: it works with files and folders.
  package var isRepeatable = false
  /// True if it runs scripts, so that --trace has something to record.
  package var isTraceable = false
  /// True if its first word is a script: all words behind it are arguments of the script.
  package var runsScript = false

  package init(
    _ name: String, _ summary: String, positions: [CommandDeclaration.Position] = [], usage: [String] = [],
    hiddenWords: Set<String> = [], fileEnding: String? = nil, limitsParts: Bool = false, isRepeatable: Bool = false,
    isTraceable: Bool = false, runsScript: Bool = false
  ) {
    self.name = name
    self.summary = summary
    self.positions = positions
    self.usage = usage
    self.hiddenWords = hiddenWords
    self.fileEnding = fileEnding
    self.limitsParts = limitsParts
    self.isRepeatable = isRepeatable
    self.isTraceable = isTraceable
    self.runsScript = runsScript
  }
}

extension Command {
  package static var flags: [Flag<Self>] { [] }

  /// The command line: parsing, help, "did you mean", completion and the manual page come from it.
  package static var declaration: CommandDeclaration {
    let options = flags.map(\.option)
    let actions = (form.positions.first?.choices ?? []) + [""]
    for option in options {
      precondition(
        option.actions?.allSatisfy(actions.contains) != false, "\(form.name) \(option.longName): unknown action")
    }
    let words = (options.isEmpty ? [] : ["[options]"]) + form.positions.map(\.spelling)
    return CommandDeclaration(
      form.name, form.summary, usage: form.usage.isEmpty ? [words.joined(separator: " ")] : form.usage,
      notes: "The command also accepts the options that b2c-run help all lists.", options: options,
      positions: form.positions)
  }
}

/// All commands of the program, in the order in which help lists them.
package struct CommandList: Sendable {
  /// The command that explains the others.
  static let help = "help"
  /// The commands of daily use, which `b2c-run --help` lists. `b2c-run help all` lists the others, too.
  package static let daily = [
    "sign-in", "accounts", "tasks", "import", "export", "new", "test", "serve", "doctor",
  ]

  package let all: [any Command.Type]

  package init(_ all: [any Command.Type]) { self.all = all }

  package var names: [String] { all.map { $0.form.name } }
  package var declarations: [CommandDeclaration] { all.map { $0.declaration } }

  package func named(_ name: String) -> (any Command.Type)? { all.first { $0.form.name == name } }
}
