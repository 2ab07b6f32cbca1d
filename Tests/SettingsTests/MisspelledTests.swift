import JSON
import Settings
import TestSupport
import Testing

/// Names in a file that are nearly those of settings.
@Suite struct MisspelledTests {
  @Test func theyAreToldWithTheirLinesInAPropertyList() throws {
    let settings = try TemporaryFolder().load(
      "settings.plist",
      """
      <plist version="1.0">
      <dict>
        <key>redirectUri</key>
        <string>http://localhost/</string>
        <key>clientId</key>
        <string>6f8a2c1e</string>
        <key>favorite</key>
        <string>blue</string>
        <key>policies</key>
        <dict><key>signin</key><string>b2c_1_in</string><key>mine</key><string>b2c_1_mine</string></dict>
      </dict>
      </plist>
      """)
    #expect(
      settings.misspelled.map { "\($0.line ?? 0) \($0.code) \($0.message.split(separator: "/").last ?? "")" } == [
        "3 settings_unknown_key settings.plist:3: there is no setting \"redirectUri\"; did you mean \"redirectURL\"?",
        "5 settings_unknown_key settings.plist:5: there is no setting \"clientId\"; did you mean \"clientID\"?",
        "10 settings_unknown_key settings.plist:10: there is no setting \"policies.signin\"; did you mean \"policies.signIn\"?",
      ])
    #expect(settings.others == ["favorite"])
    // They stay what scripts read.
    #expect(settings["clientId"] == "6f8a2c1e")
    #expect(settings.policies["signin"] == "b2c_1_in")
  }

  @Test func inJSONAndWithTheRightNameToo() throws {
    let folder = TemporaryFolder()
    let settings = try folder.load(
      "a.json", "{\n  \"scope\": \"x\",\n  \"scopes\": \"openid\",\n  \"clientid\": \"a\" }")
    #expect(
      settings.misspelled.map { $0.message.replacing("\(folder.path)/", with: "") } == [
        "a.json:2: there is no setting \"scope\"; did you mean \"scopes\"?",
        "a.json:4: there is no setting \"clientid\"; did you mean \"clientID\"?",
      ])
  }

  @Test func whoMissesTheSettingHearsOfThem() throws {
    let folder = TemporaryFolder()
    let settings = try folder.load("a.json", #"{ "clientId": "a" }"#)
    #expect { try settings.clientID } throws: {
      ($0 as? SettingsError)?.hint?.replacing("\(folder.path)/", with: "") == "a.json:1 has \"clientId\": rename it"
    }
    #expect { try settings.taskAPI } throws: {
      ($0 as? SettingsError)?.hint?.hasPrefix("add it to the settings, or give --set taskAPI=VALUE; the setting")
        == true
    }
  }

  @Test func theTutorialsFileHasNone() throws {
    let settings = try TemporaryFolder().load("settings.plist", tutorial)
    #expect(settings.misspelled.isEmpty)
    #expect(settings.others == ["color"])
  }
}
