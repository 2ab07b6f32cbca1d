import HostLoop
import JSON
import LocalTenant
import Lua
import Settings

extension ScriptHost {
  /// What `help settings` shows. What scripts get as `b2c.settings` is a `LuaSettings`, which has this function too.
  var settingsModule: HostModule {
    HostModule(
      "settings", "The settings: from settings.plist, --settings and --set; with --local, those of the local tenant.",
      notes: """
        [Settings](Settings.md) tells more of them. Other names that the file has are there too; of one that is nearly a setting's, a
        warning tells.
        """,
      example: """
        local settings = require "b2c.settings"

        local other = settings.with { scopes = { "openid" } }
        print(settings.clientID, #settings.scopes, #other.scopes)
        """,
      [luaSettings.misspelled, luaSettings.with], fields: LuaSettings.fields)
  }

  /// The settings of this run, read once.
  func settings() throws -> Settings {
    if let loadedSettings { return loadedSettings }
    let settings: Settings
    let overrides = configuration.settingsOverrides.map { ($0.key, $0.value) }
    if let tenant {
      settings = try Settings.load(
        values: tenant.settings, source: "the local tenant", overrides: overrides)
    } else {
      settings = try Settings.load(file: configuration.settingsFile, overrides: overrides)
    }
    loadedSettings = settings
    for slip in settings.misspelled { console.log(.warn, slip.message) }
    let others = settings.others
    if !others.isEmpty {
      console.log(.debug, "\(settings.source) has what only scripts read: \(others.joined(separator: ", "))")
    }
    clients.onOrigins?(settings.origins, settings)
    return settings
  }
}
