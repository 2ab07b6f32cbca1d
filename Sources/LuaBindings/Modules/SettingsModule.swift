import HostLoop
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
}
