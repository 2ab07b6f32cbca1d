import Automation
import Core
import Glibc
import LuaBindings
import Permissions

/// The command line, understood.
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
  /// What stands behind the script or the command: its own arguments.
  var arguments: [String] = []
  var configuration: ScriptHost.Configuration
  /// `--local`, and its data file.
  var local: String??
  var tenant = TenantOptions()
  var test = TestOptions()
  /// `--output` of `stubs`
  var stubsFolder: String?
  /// `--html` of `trace`
  var traceOutput: String?
  var timeout: Double?
  /// `--trace`
  var trace: TracePlace?
  /// Whether standard input was read for a setting.
  var isInputTaken = false
  /// `--json`
  var isJSON = false
  /// `--trust` of `plugins`
  var trustsPlugins = false
  /// `--help`
  var isHelpWanted = false
  /// `--watch`
  var isWatching = false
  /// No `--no-prompt`.
  var asksForPermissions = true
  var isQuiet = false
  var logLevel = Console.Level.info

  init(parsing words: [String]) throws {
    configuration = ScriptHost.Configuration(scriptsFolder: ScriptsFolder.find())
    configuration.plugins = .usual()
    configuration.reservedCommands = Set(Command.all.map(\.name))
    configuration.options = Set(Flag.common.map(\.name))
    var rest = words[...]
    var bareFlag: String?
    parsing: while let word = rest.popFirst() {
      if word == "-e", command == nil {
        guard let chunk = rest.popFirst() else { throw UsageError("-e: expected Lua code behind it") }
        action = .chunk(chunk)
      } else if word == "-h" {
        isHelpWanted = true
      } else if word == "-A" {
        configuration.grants.allowsEverything = true
      } else if word == "-" || !word.hasPrefix("-") {
        switch action {
        case .command: arguments.append(word)
        case .chunk:
          arguments = [word] + rest
          break parsing
        default:
          guard let command = Command.named(word) else {
            if let bareFlag, let script = rest.first { try Self.check(word, between: bareFlag, script) }
            action = .script(word)
            arguments = Array(rest)
            break parsing
          }
          action = .command(command)
        }
      } else {
        try apply(word, Flag.common + (command?.flags ?? []), &rest)
        bareFlag = word.contains("=") ? nil : word
      }
    }
    if isHelpWanted {
      arguments = command.map { [$0.name] } ?? []
      action = .command(.help)
    }
    try command?.check(arguments)
    if action == nil {
      guard isatty(STDIN_FILENO) == 0 || isatty(STDOUT_FILENO) == 0 else {
        action = .session
        return
      }
      throw UsageError("nothing to run", hint: "b2c-run SCRIPT, b2c-run -e CHUNK, or b2c-run --help")
    }
  }

  /// How long it may take as a whole; nil for no limit, and where each part of it has its own.
  var wholeTimeout: Double? { command?.limitsParts == true ? nil : timeout }
  /// How long the process may run: with --watch each run has the time to itself, and in a session each call.
  var processTimeout: Double? {
    if case .session = action { return nil }
    return isWatching ? nil : wholeTimeout
  }

  /// An option whose value may be left out takes it behind `=`: else the value would be run, and the script its argument.
  private static func check(_ word: String, between flag: String, _ next: String) throws(UsageError) {
    guard !word.hasSuffix(".lua"), next.hasSuffix(".lua"), word.contains(where: { $0 == "." || $0 == "/" }),
      Flag.common.contains(where: { $0.name == flag && $0.isValueOptional })
    else { return }
    throw UsageError("\(flag): expected its value behind =", hint: "\(flag)=\(word) \(next)")
  }

  private var command: Command? {
    if case .command(let command) = action { command } else { nil }
  }

  /// Applies the option `word`, taking its value from `rest` if it stands there.
  private mutating func apply(_ word: String, _ flags: [Flag], _ rest: inout ArraySlice<String>) throws {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0])
    guard let flag = flags.first(where: { $0.name == name }) else {
      let nearest = nearestName(to: name, in: flags.map(\.name))
      throw UsageError(
        "unknown option \(name)", hint: nearest.map { "did you mean \($0)?" } ?? "b2c-run --help lists them")
    }
    var value = parts.count == 2 ? String(parts[1]) : nil
    if flag.value == nil, value != nil { throw UsageError("\(name) takes no value") }
    if let placeholder = flag.value, value == nil, !flag.isValueOptional {
      value = rest.popFirst()
      if value == nil { throw UsageError("\(name): expected \(placeholder) behind it") }
    }
    try flag.apply(&self, value)
  }

  mutating func setLogLevel(_ name: String) throws(UsageError) {
    guard let level = Console.Level(rawValue: name) else {
      let names = Console.Level.allCases.map(\.rawValue)
      throw UsageError(
        "--log-level: expected one of \(names.joined(separator: ", ")), got '\(name)'",
        hint: didYouMean(name, among: names))
    }
    logLevel = level
  }
}
