package import Permissions
package import Trace

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
    /// The data file of this run's local tenant; nil when there is no tenant, or it is in memory.
    package var tenantData: String?
    /// Where the journals of imports are; nil for the usual folder.
    package var importsFolder: String?
    /// Files besides the settings that secrets were read from.
    package var secretFiles: [String] = []
    /// What scripts may do beyond what every run may.
    package var grants = Grants()
    /// What records the run; nil where nothing does.
    package var trace: TraceRecorder?
    /// Whether the person at the terminal is asked for what is not granted.
    package var mayAsk = false
    /// Where plugins are taken from; nowhere if nothing is said.
    package var plugins = PluginSources()
    /// Names of commands that no plugin can take.
    package var reservedCommands: Set<String> = []
    /// Names of the program's own options, which stand in front of a script: `--local`.
    package var options: Set<String> = []
    /// Where the stock scripts are.
    package var scriptsFolder: String

    package init(scriptsFolder: String) { self.scriptsFolder = scriptsFolder }
  }
}
