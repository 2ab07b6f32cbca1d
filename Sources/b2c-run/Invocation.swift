import Automation
import Core
import Glibc
import JobProcesses
import Jobs
import Lua
import LuaKit
import Permissions
import ScriptHost

struct Invocation {
  enum Action {
    /// A path, the name of a stock script, or `-` for standard input.
    case script(String)
    /// `-e`
    case chunk(String)
    case command(Command)
    /// Nothing, on a terminal.
    case session
    case version
  }

  var action: Action?
  /// The words behind the script or the command: its own arguments.
  var arguments: [String] = []
  var configuration: ScriptHost.Configuration
  /// `--local`, and its data file.
  var local: String??
  var tenant = TenantOptions()
  var test = TestOptions()
  var experiment = ExperimentOptions()
  var jobs = JobsOptions()
  var serve = ServeOptions()
  /// `--from` of `secrets`
  var secretFile: String?
  /// The common options, in order, for the processes of jobs.
  var given: [(option: String, text: String?)] = []
  /// The task that a job host gives to this process; nil for a process that a person started.
  var jobPurpose: RunLink.Purpose?
  /// `--output` of `stubs` and `man`
  var outputFolder: String?
  /// `--html` of `trace`
  var traceOutput: String?
  var timeout: Double?
  var trace: TracePlace?
  /// True if `--store` shows a password to all who may list processes.
  var hasPasswordInStore = false
  /// True if standard input was read for a setting.
  var isInputTaken = false
  var isJSON = false
  /// `--trust` of `plugins`
  var trustsPlugins = false
  /// `--job` of `new`
  var isJob = false
  var isHelpWanted = false
  var isWatching = false
  var asksForPermissions = true
  var isQuiet = false
  var logLevel = Console.Level.info
  var logFormat = Console.Format.text

  init(parsing words: [String]) throws {
    configuration = ScriptHost.Configuration(scriptsFolder: ProgramFolder.scripts)
    configuration.session.version = Version.text
    configuration.plugins = .usual()
    configuration.reservedCommands = { Set(Command.all.map(\.name)) }
    configuration.options = { Set(Flag.common.map(\.option.longName)) }
    var rest = words[...]
    var bareOption: CommandOption?
    var ownOptions: Set<String> = []
    parsing: while let word = rest.popFirst() {
      if word == "-e", command == nil {
        guard let chunk = rest.popFirst() else { throw UsageError("-e: expected Lua code after it") }
        action = .chunk(chunk)
      } else if word == "--", command != nil {
        arguments += rest
        break parsing
      } else if word == "-" || !word.hasPrefix("-") {
        switch action {
        case .command: arguments.append(word)
        case .chunk:
          arguments = [word] + rest
          break parsing
        default:
          guard let command = Command.named(word) else {
            if let bareOption, let script = rest.first { try Self.check(word, between: bareOption, script) }
            action = .script(word)
            arguments = Array(rest)
            break parsing
          }
          action = .command(command)
        }
      } else {
        let flags = Flag.common + (command?.flags ?? [])
        let (index, text) = try CommandOption.take(word, &rest, from: flags.map(\.option), listedBy: "b2c-run help all")
        if let text, text.hasForeignBytes, !flags[index].option.takesBytes {
          throw UsageError(
            "\(flags[index].option.longName): the value is not UTF-8: \(LuaValue.invalidByte(in: text.pathBytes))")
        }
        try flags[index].apply(&self, text)
        if index < Flag.common.count {
          given.append((flags[index].option.longName, text))
        } else {
          ownOptions.insert(flags[index].option.name)
        }
        bareOption = text == nil ? flags[index].option : nil
      }
    }
    if isHelpWanted {
      arguments = command.map { [$0.name] } ?? []
      action = .command(.help)
    }
    if let command, !(arguments.count == 1 && command.hiddenWords.contains(arguments[0])) {
      try command.declaration.check(arguments, ownOptions)
    }
    if action == nil {
      guard isatty(STDIN_FILENO) == 0 || isatty(STDOUT_FILENO) == 0 else {
        action = .session
        return
      }
      throw UsageError(
        "nothing to run",
        hint: "b2c-run SCRIPT, b2c-run -e CHUNK, or a command: \(Command.daily.joined(separator: ", ")); "
          + "b2c-run --help explains them")
    }
  }

  /// The time limit of the run as a whole; nil for no limit, and where each part of it has its own.
  var wholeTimeout: Double? { command?.limitsParts == true ? nil : timeout }
  /// The time limit of the process: with --watch each run has the time to itself, and in a session each call.
  var processTimeout: Double? {
    if case .session = action { return nil }
    return isWatching ? nil : wholeTimeout
  }

  /// An option whose value may be left out takes it behind `=`: else the value would be run, and the script its argument.
  private static func check(_ word: String, between option: CommandOption, _ next: String) throws(UsageError) {
    guard option.isValueOptional, !word.hasSuffix(".lua"), next.hasSuffix(".lua"),
      word.contains(where: { $0 == "." || $0 == "/" })
    else { return }
    throw UsageError("\(option.longName): expected its value after =", hint: "\(option.longName)=\(word) \(next)")
  }

  private var command: Command? {
    if case .command(let command) = action { command } else { nil }
  }
}
