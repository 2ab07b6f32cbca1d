import Automation
import HostLoop
import LuaKit

/// A command of the program itself. The others are scripts, in `scripts/`.
struct Command: Sendable {
  /// The command line: parsing, help, "did you mean", completion and the manual page come from it.
  let declaration: CommandDeclaration
  let flags: [Flag]
  /// First words that no help shows.
  let hiddenWords: Set<String>
  /// The end of the names of its files; nil where it takes files of any name.
  let fileEnding: String?
  /// True if --timeout is for each part of it, such as a test, not for all of it.
  let limitsParts: Bool
  /// True if --watch can run it again: it works with files and folders.
  let isRepeatable: Bool
  /// True if it runs scripts, so that --trace has something to record.
  let isTraceable: Bool
  /// Carries the command out; the invocation's `arguments` are the words behind it.
  let run: @HostActor @Sendable (Invocation, Console) async throws -> ExitStatus

  var name: String { declaration.command }

  init(
    _ name: String, _ summary: String, flags: [Flag] = [], positions: [CommandDeclaration.Position] = [],
    usage: [String] = [], hiddenWords: Set<String> = [], fileEnding: String? = nil, limitsParts: Bool = false,
    isRepeatable: Bool = false, isTraceable: Bool = false,
    run: @escaping @HostActor @Sendable (Invocation, Console) async throws -> ExitStatus
  ) {
    let words = (flags.isEmpty ? [] : ["[options]"]) + positions.map(\.spelling)
    declaration = CommandDeclaration(
      name, summary, usage: usage.isEmpty ? [words.joined(separator: " ")] : usage,
      notes: "The command also accepts the options that b2c-run help all lists.", options: flags.map(\.option),
      positions: positions)
    let actions = (positions.first?.choices ?? []) + [""]
    for option in flags.map(\.option) {
      precondition(option.actions?.allSatisfy(actions.contains) != false, "\(name) \(option.longName): unknown action")
    }
    self.flags = flags
    self.hiddenWords = hiddenWords
    self.fileEnding = fileEnding
    self.limitsParts = limitsParts
    self.isRepeatable = isRepeatable
    self.isTraceable = isTraceable
    self.run = run
  }

  static let all: [Command] = [
    .test, .new, .check, .serve, .jobs, .secrets, .store, .trace, .experiment, .plugins, .tenant, .stubs, .completions,
    .man,
    .help,
  ]

  static func named(_ name: String) -> Command? { all.first { $0.name == name } }
}
