extension ScriptHost {
  /// What the command line decides for a run.
  package struct Configuration: Sendable {
    /// `--settings`; nil looks in the usual places.
    package var settingsFile: String?
    /// `--set`, in order.
    package var settingsOverrides: [(key: String, value: String)] = []
    /// `--store`: the folder of the account store; nil for the usual one.
    package var storePath: String?
    /// `--account`: the name of the account to use.
    package var accountName: String?
    /// `--cacert`
    package var caFile: String?
    /// `--memory`, in bytes; 0 for no limit.
    package var memoryLimit = 0
    /// Where the stock scripts are.
    package var scriptsFolder: String

    package init(scriptsFolder: String) { self.scriptsFolder = scriptsFolder }
  }
}
