import Automation
import Glibc
import LuaBindings
import Permissions

/// An option of the command line, declared once: parsing, `--help` and "did you mean" come from it.
struct Flag: Sendable {
  let name: String
  /// What stands behind it: `FILE`; nil for a switch.
  let value: String?
  /// Whether the value may be left out; then it is given as `--local=DATA` only.
  let isValueOptional: Bool
  /// The values there are; empty where they cannot be listed.
  let choices: [String]
  let doc: String
  let apply: @Sendable (inout Invocation, String?) throws -> Void

  /// A switch.
  init(_ name: String, _ doc: String, _ apply: @escaping @Sendable (inout Invocation) -> Void) {
    self.init(name, nil, doc) { invocation, _ in apply(&invocation) }
  }

  init(
    _ name: String, _ value: String?, optional isValueOptional: Bool = false, choices: [String] = [], _ doc: String,
    _ apply: @escaping @Sendable (inout Invocation, String?) throws -> Void
  ) {
    self.name = name
    self.value = value
    self.isValueOptional = isValueOptional
    self.choices = choices
    self.doc = doc
    self.apply = apply
  }

  /// `--settings FILE`, `--local[=DATA]`
  var usage: String {
    switch value {
    case nil: name
    case let value?: isValueOptional ? "\(name)[=\(value)]" : "\(name) \(value)"
    }
  }
}

extension Flag {
  /// Without a value it allows all of that kind; values stand between commas.
  private static func permission(_ permission: Permission, _ value: String, _ doc: String) -> Flag {
    Flag(permission.flag, value, optional: true, doc) { try $0.configuration.grants.allow(permission, $1) }
  }

  /// The options of every command.
  static let common: [Flag] = [
    Flag("--settings", "FILE", "read the settings from FILE (.plist or .json)") { $0.configuration.settingsFile = $1 },
    Flag("--set", "KEY=VALUE", "set one setting; clientSecret=@FILE reads it from FILE, @- from standard input") {
      invocation, value in
      let parts = (value ?? "").split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, !parts[0].isEmpty else {
        throw UsageError("--set: expected KEY=VALUE, got '\(value ?? "")'", hint: "for example --set clientID=…")
      }
      let (key, text) = (String(parts[0]), String(parts[1]))
      guard key == SecretSource.key, let source = SecretSource(text) else {
        invocation.configuration.settingsOverrides.append((key, text))
        return
      }
      if source == .standardInput { invocation.isInputTaken = true }
      if case .file(let path) = source { invocation.configuration.secretFiles.append(path) }
      invocation.configuration.settingsOverrides.append((key, try source.read()))
    },
    Flag("--local", "DATA", optional: true, "start a local tenant and use it; its data is kept in the file DATA") {
      $0.local = .some($1)
    },
    Flag("--store", "PATH", "keep the accounts in the folder PATH") { $0.configuration.storePath = $1 },
    Flag("--account", "NAME", "use the account of that name") { $0.configuration.accountName = $1 },
    Flag("--cacert", "FILE", "trust the certificates in FILE besides the system's") { invocation, value in
      guard let file = value, access(file, R_OK) == 0 else {
        throw UsageError("--cacert: cannot read \(value ?? ""): \(String(cString: strerror(errno)))")
      }
      invocation.configuration.caFile = file
    },
    permission(.net, "HOST", "let scripts connect to HOST or HOST:PORT"),
    permission(.read, "PATH", "let scripts read PATH and what is in it"),
    permission(.write, "PATH", "let scripts write PATH and what is in it"),
    permission(.env, "NAME", "let scripts read the environment variable NAME"),
    permission(.run, "PROGRAM", "let scripts run PROGRAM"),
    Flag("--allow-all", "let scripts do everything; also -A") { $0.configuration.grants.allowsEverything = true },
    Flag("--no-prompt", "never ask for a permission on the terminal") { $0.asksForPermissions = false },
    Flag("--plugin", "FILE", "load that plugin too; may be given more than once") { invocation, value in
      let file = PluginFile(value ?? "")
      guard access(file.path, R_OK) == 0 else {
        throw UsageError("--plugin: cannot read \(file.path): \(String(cString: strerror(errno)))")
      }
      invocation.configuration.plugins.files.append(file)
    },
    Flag("--trust-plugins", "use the plugins in ./plugins in this run without asking") {
      $0.configuration.plugins.trustsFolderAtHand = true
    },
    Flag("--no-plugins", "load no plugins but those of --plugin") { $0.configuration.plugins.leaveFoldersOut() },
    Flag("--trace", "FILE", "record the run in FILE: .html, .har or .json") {
      $0.trace = try Invocation.TracePlace($1 ?? "")
    },
    Flag("--timeout", "SECONDS", "stop the script after that time (exit status 124)") { invocation, value in
      guard let seconds = Double(value ?? ""), seconds > 0, seconds < 1e9 else {
        throw UsageError("--timeout: expected a number of seconds above zero, got '\(value ?? "")'")
      }
      invocation.timeout = seconds
    },
    Flag("--watch", "run it again whenever a file of the script's folder changes") { invocation in
      invocation.isWatching = true
    },
    Flag("--memory", "SIZE", "limit the script's memory, such as 256M (exit status 124)") { invocation, value in
      invocation.configuration.memoryLimit = try ByteSize.parse(value ?? "")
    },
    Flag("--quiet", "no progress, no log lines below warn") { invocation in invocation.isQuiet = true },
    Flag(
      "--log-level", "LEVEL", choices: Console.Level.allCases.map(\.rawValue),
      "debug, info (the default), warn or error"
    ) { try $0.setLogLevel($1 ?? "") },
    Flag("--version", "print the version") { invocation in invocation.action = .version },
    Flag("--help", "print this help, or that of the command") { invocation in invocation.isHelpWanted = true },
  ]
}
