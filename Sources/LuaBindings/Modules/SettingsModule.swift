import Lua
import Settings

extension ScriptHost {
  /// What `help settings` shows. What scripts get as `b2c.settings` is a `LuaSettings`, which has this function too.
  var settingsModule: HostModule {
    HostModule(
      "settings", "The settings: from settings.plist, --settings and --set; with --local, those of the local tenant.",
      [luaSettings.with])
  }

  /// The settings of this run, read once.
  func settings() throws -> Settings {
    if let loadedSettings { return loadedSettings }
    let settings: Settings
    if let local = configuration.localSettings {
      settings = try Settings.local(local, configuration.settingsOverrides)
    } else {
      settings = try Settings.load(
        file: configuration.settingsFile, overrides: configuration.settingsOverrides.map { ($0.key, $0.value) })
    }
    loadedSettings = settings
    return settings
  }
}
