import HostLoop
import Lua

/// `b2c.settings`, as `help settings` shows it. Scripts get a `LuaSettings`, which has the same functions.
struct SettingsModule: LuaModule {
  let settings: LuaSettings

  var module: HostModule {
    HostModule(
      "settings", "The settings: from settings.plist, --settings and --set; with --local, those of the local tenant.",
      notes: """
        [Settings](Settings.md) describes them. Scripts can also read other names in the file. A name that is nearly the name
        of a setting causes a warning.
        """,
      example: """
        local settings = require "b2c.settings"

        local other = settings.with { scopes = { "openid" } }
        print(settings.clientID, #settings.scopes, #other.scopes)
        """,
      [settings.misspelled, settings.with], fields: LuaSettings.fields)
  }
}
