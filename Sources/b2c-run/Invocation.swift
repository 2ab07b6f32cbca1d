import Diagnostics
import LuaBindings

/// The command line, understood.
struct Invocation {
  enum Command {
    /// A path, the name of a stock script, or `-` for standard input.
    case script(String)
    /// `-e`
    case chunk(String)
    case tenant
    case help(String?)
    case version
  }

  struct Tenant {
    var port: UInt16 = 0
    var data: String?
    var usesTLS = false
    var usesGUIDIssuer = false
  }

  var command: Command?
  /// What stands behind the script: its own arguments.
  var arguments: [String] = []
  var configuration: ScriptHost.Configuration
  /// `--local`, and its data file.
  var local: String??
  var tenant = Tenant()
  var timeout: Double?
  /// Whether standard input was read for a setting.
  var isInputTaken = false
  var isQuiet = false
  var logLevel = Console.Level.info

  init(parsing words: [String]) throws {
    configuration = ScriptHost.Configuration(scriptsFolder: ScriptsFolder.find())
    var rest = words[...]
    var flags = Flag.common
    while let word = rest.popFirst() {
      if word == "-e" {
        guard let chunk = rest.popFirst() else { throw UsageError("-e: expected Lua code behind it") }
        command = .chunk(chunk)
      } else if word == "-h" {
        command = .help(nil)
      } else if word == "-" || !word.hasPrefix("-") {
        if case .chunk = command {
          arguments = [word] + rest
          return
        }
        switch word {
        case "tenant":
          command = .tenant
          flags += Flag.tenant
          continue
        case "help": command = .help(rest.popFirst())
        default:
          command = .script(word)
          arguments = Array(rest)
        }
        return
      } else {
        try apply(word, flags, &rest)
      }
    }
    if command == nil {
      throw UsageError("nothing to run", hint: "b2c-run SCRIPT, b2c-run -e CHUNK, or b2c-run --help")
    }
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
      throw UsageError("--log-level: expected one of \(names.joined(separator: ", ")), got '\(name)'")
    }
    logLevel = level
  }
}
