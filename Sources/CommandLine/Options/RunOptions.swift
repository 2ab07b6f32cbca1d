package import Automation
import DatabaseAddress
package import Trace

/// The options of the program, which all commands and scripts share.
package struct RunOptions: Sendable {
  /// An option that asks about the program, in place of a run.
  enum Question: Sendable { case help, version }

  /// The form of the output.
  package struct Output: Sendable {
    package var isQuiet = false
    package var level = Console.Level.info
    package var format = Console.Format.text
  }

  /// The options of a tenant in this process: that of `--local`, or of the command `tenant`.
  package struct OwnTenant: Sendable {
    package var usesTLS = false
    /// The file of `--client-ca`.
    package var clientAuthorities: String?
  }

  /// The file of `--trace`.
  package struct TracePlace: Sendable {
    package let path: String
    package let format: TraceFormat

    /// Throws for a path whose ending names no format.
    package init(_ path: String) throws(UsageError) {
      guard let format = TraceFormat(path: path) else {
        let endings = TraceFormat.allCases.map { ".\($0.rawValue)" }
        throw UsageError(
          "--trace: expected a file that ends in \(endings.dropLast().joined(separator: ", ")) or \(endings.last ?? ""), "
            + "got '\(path)'")
      }
      self.path = path
      self.format = format
    }
  }

  /// Further records of the run, besides its trace.
  package struct Record: Sendable {
    /// True if the trace keeps what a replay needs.
    package var isReplayable = false
    /// The file of `--profile`.
    package var profile: String?
  }

  var question: Question?
  package var configuration: ScriptConfiguration
  package var tenant = OwnTenant()
  package var output = Output()
  /// The options as given, in order, for the processes of jobs.
  package var given: [(option: String, text: String?)] = []
  package var timeout: Double?
  package var trace: TracePlace?
  package var record = Record()
  /// True if `--store` shows a password to all who may list processes.
  package var hasPasswordInStore = false
  /// True if standard input was read for a setting.
  package var isInputTaken = false
  package var isWatching = false
  package var asksForPermissions = true

  init(_ configuration: ScriptConfiguration) { self.configuration = configuration }

  /// The part of the options that scripts and `serve` share.
  package var session: Session.Configuration {
    get { configuration.session }
    _modify { yield &configuration.session }
  }

  /// Makes `--version` do nothing: a script or a command stands behind it.
  mutating func forgetVersion() {
    if question == .version { question = nil }
  }
}

extension RunOptions {
  /// `--store PATH`
  mutating func keepAccounts(in place: String) throws(UsageError) {
    if let (reason, hint) = PostgresAddress.mistake(in: place) { throw UsageError("--store: \(reason)", hint: hint) }
    session.storePath = place
    guard PostgresAddress.isOne(place) else { return }
    hasPasswordInStore = PostgresAddress.hidePassword(of: place)
  }

  /// `--set KEY=VALUE`
  mutating func override(_ text: String) throws(UsageError) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2, !parts[0].isEmpty else {
      throw UsageError("--set: expected KEY=VALUE, got '\(text)'", hint: "for example --set clientID=…")
    }
    var value = parts[1]
    if parts[0] == SecretSource.key, let source = SecretSource(value) {
      if source == .standardInput { isInputTaken = true }
      if case .file(let path) = source { session.settings.secretFiles.append(path) }
      value = try source.read()
    }
    session.settings.overrides.append((parts[0], value))
  }
}
