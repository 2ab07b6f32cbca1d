import Automation
import Core
import Files
import Glibc
import Permissions

extension RunOptions {
  /// Without a value it allows all of that kind; values stand between commas.
  private static func permission(_ permission: Permission, _ value: String, _ doc: String) -> Flag<Self> {
    Flag("\(permission.flag)[=\(value)]", doc) { try $0.session.grants.allow(permission, $1) }
  }

  /// The variable with the file to which libraries for TLS write the keys of connections.
  package static let tlsKeysVariable = "SSLKEYLOGFILE"

  /// The options, as help lists them.
  package static let flags: [Flag<Self>] = [
    Flag("--settings FILE", "read the settings from FILE (.plist or .json)", \.session.settings.file),
    Flag("--set KEY=VALUE", "set one setting; clientSecret=@FILE reads the secret from FILE, @- from standard input") {
      try $0.override($1 ?? "")
    },
    Flag("--local[=DATA]", "start a local tenant and use it; keep its data in the file DATA, or in memory") {
      $0.session.localTenant = .init()
      $0.session.localTenant?.data = $1
    },
    Flag("--tls", "let the local tenant serve https with its own certificate", \.tenant.usesTLS),
    Flag("--client-ca FILE", "let the local tenant trust clients' certificates that the authorities in FILE issued") {
      $0.tenant.clientAuthorities = try readable($1 ?? "", "--client-ca")
    },
    Flag(
      "--machine NAME", "the name of this machine among several that share a database; the host's name if not given"
    ) { $0.session.machineName = try machineName($1 ?? "") },
    Flag("--store PATH", "keep the accounts in the folder PATH, or in a database: postgresql://USER@HOST/NAME") {
      try $0.keepAccounts(in: $1 ?? "")
    },
    Flag("--account NAME", "use the account NAME instead of the current account", \.session.accountName),
    Flag("--cacert FILE", "trust the certificates in FILE, too") {
      $0.session.caFile = try readable($1 ?? "", "--cacert")
    },
    permission(.net, "HOST", "allow scripts to connect to HOST or HOST:PORT"),
    permission(.read, "PATH", "allow scripts to read PATH and its content"),
    permission(.write, "PATH", "allow scripts to write PATH and its content"),
    permission(.env, "NAME", "allow scripts to read the environment variable NAME"),
    permission(.run, "PROGRAM", "allow scripts to run PROGRAM"),
    permission(.secret, "NAME", "allow scripts to use the secret NAME of b2c-run secrets"),
    Flag("-A, --allow-all", "allow scripts to do everything", \.session.grants.allowsEverything),
    Flag("--no-prompt", "never ask for a permission; deny the access", \.asksForPermissions, to: false),
    Flag("--plugin FILE", "load the plugin FILE, too; may be repeated") {
      $0.configuration.plugins.files.append(PluginFile(try readable(PluginFile($1 ?? "").path, "--plugin")))
    },
    Flag(
      "--trust-plugins", "use the plugins in ./plugins in this run without a question",
      \.configuration.plugins.trustsFolderAtHand),
    Flag("--no-plugins", "load only the plugins of --plugin") { options, _ in
      options.configuration.plugins.leaveFoldersOut()
    },
    Flag("--trace FILE", "record the run in FILE: .html, .har or .json") {
      $0.trace = try TracePlace($1 ?? "")
    },
    Flag(
      "--replayable", "let the trace keep what b2c-run replay needs, sealed by a key beside it", \.record.isReplayable),
    Flag("--profile FILE", "measure the script; FILE is a page with flame graphs (.html), or folded stacks (.folded)") {
      guard let path = $1, path.isPagePath || path.fileEnding == "folded" else {
        throw UsageError("--profile: expected a file that ends in .html or .folded, got '\($1 ?? "")'")
      }
      $0.record.profile = path
    },
    Flag("--tls-keys FILE", "append the keys of TLS connections to FILE: whoever has them can read the traffic") {
      _ = try writable($1 ?? "", "--tls-keys").withPath { setenv(tlsKeysVariable, $0, 1) }
    },
    Flag("--timeout SECONDS", "stop the script after this time (exit status 124)") { options, value in
      guard let seconds = Double(value ?? ""), seconds > 0, seconds < 1e9 else {
        throw UsageError("--timeout: expected a number of seconds above zero, got '\(value ?? "")'")
      }
      options.timeout = seconds
    },
    Flag("--watch", "run the script again after each change in its folder", \.isWatching),
    Flag("--memory SIZE", "limit the script's memory to SIZE, such as 256M (exit status 124)") {
      $0.configuration.memoryLimit = try byteSize($1 ?? "")
    },
    Flag("--quiet", "show no progress, and no log lines below warn", \.output.isQuiet),
    Flag(
      "--log-level LEVEL", "debug, info (the default), warn or error", choices: Console.Level.allCases.map(\.rawValue)
    ) { $0.output.level = Console.Level(rawValue: $1 ?? "") ?? $0.output.level },
    Flag(
      "--log-format FORMAT", "text (the default), or json: a JSON object for each line",
      choices: Console.Format.allCases.map(\.rawValue)
    ) { $0.output.format = Console.Format(rawValue: $1 ?? "") ?? $0.output.format },
    Flag("--version", "print the version") { options, _ in
      if options.question == nil { options.question = .version }
    },
    Flag("-h, --help", "print this help, or the help of the command") { options, _ in options.question = .help },
  ]

  private static func readable(_ path: String, _ flag: String) throws(UsageError) -> String {
    guard FileSystem.access(path, R_OK) == 0 else {
      throw UsageError("\(flag): cannot read \(path): \(String(cString: strerror(errno)))")
    }
    return path
  }

  /// Makes the file, which only its owner may read.
  private static func writable(_ path: String, _ flag: String) throws(UsageError) -> String {
    do { _ = try OpenFile(path, Opening(O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, mode: 0o600)) } catch {
      throw UsageError("\(flag): cannot write \(path): \(error.reason)")
    }
    return FileSystem.realPath(path) ?? path
  }

  private static func machineName(_ text: String) throws(UsageError) -> String {
    let isName = text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
        true
      default: false
      }
    }
    guard isName, (1...63).contains(text.utf8.count) else {
      throw UsageError("--machine: expected a name of 1 to 63 letters, digits, '.', '-' and '_', got '\(text)'")
    }
    return text
  }

  /// The bytes of `256M`, `1G` or `65536`.
  private static func byteSize(_ text: String) throws(UsageError) -> Int {
    let units: [Character: Int] = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30]
    let unit = text.last.flatMap { units[Character($0.uppercased())] }
    let digits = unit == nil ? text : String(text.dropLast())
    let (size, overflows) = (Int(digits) ?? 0).multipliedReportingOverflow(by: unit ?? 1)
    guard size > 0, !overflows else { throw UsageError("--memory: expected a size such as 256M, got '\(text)'") }
    return size
  }
}
