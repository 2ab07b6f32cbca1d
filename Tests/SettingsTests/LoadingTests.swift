import Core
import JSON
import Settings
import TestSupport
import Testing

@Suite struct LoadingTests {
  @Test func theTutorialsFileIsRead() throws {
    let settings = try TemporaryFolder().load("settings.plist", tutorial)
    #expect(try settings.clientID == "6f8a2c1e")
    #expect(settings.clientSecret == nil)
    #expect(settings.accountIdentifier == "B2C_Account")
    #expect(try settings.redirectURL == "urn:ietf:wg:oauth:2.0:oob")
    #expect(settings["bhh"] == settings["redirectURL"])
    #expect(settings.keychain == "com.example.tasks")
    #expect(try settings.taskAPI == "https://tasks.example.com")
    #expect(settings.tasksPath == "/api/tasks")
    #expect(settings.tokenType == "Bearer")
    #expect(settings.scopes == ["openid", "6f8a2c1e", "offline_access"])
    #expect(settings["scopes"] == ["openid", "6f8a2c1e", "offline_access"])
    #expect(settings["color"] == ["red": 3, "dark": true])
    #expect(settings["absent"] == nil)
    #expect(settings.names.contains("color"))
  }

  @Test func jsonIsReadByItsExtension() throws {
    let settings = try TemporaryFolder().load(
      "tenant.json", #"{"clientID": "a", "clientSecret": "hidden-value", "scopes": "openid, read write", "n": 1}"#)
    #expect(settings.scopes == ["openid", "read", "write"])
    #expect(settings.clientSecret == Secret("hidden-value"))
    #expect(settings["clientSecret"] == nil)
    #expect(settings["n"] == 1)
  }

  @Test func binaryPropertyListsAreRead() throws {
    // {"clientID": "abc", "scopes": ["openid"], "n": 7, "yes": true}
    let bytes: [UInt8] =
      Array("bplist00".utf8) + [0xD4, 1, 2, 3, 4, 5, 6, 8, 9] + [0x58] + Array("clientID".utf8) + [0x56]
      + Array("scopes".utf8) + [0x51] + Array("n".utf8) + [0x53] + Array("yes".utf8) + [0x53] + Array("abc".utf8)
      + [0xA1, 7] + [0x56] + Array("openid".utf8) + [0x10, 7] + [0x09]
    let offsets: [UInt8] = [8, 17, 26, 33, 35, 39, 43, 45, 52, 54]
    let trailer: [UInt8] =
      [0, 0, 0, 0, 0, 0, 1, 1] + [0, 0, 0, 0, 0, 0, 0, 10] + [0, 0, 0, 0, 0, 0, 0, 0] + [0, 0, 0, 0, 0, 0, 0, 55]
    let folder = TemporaryFolder()
    let settings = try Settings.load(file: folder.write(bytes + offsets + trailer, to: "settings.plist"))
    #expect(try settings.clientID == "abc")
    #expect(settings.scopes == ["openid"])
    #expect(settings["n"] == 7)
    #expect(settings["yes"] == true)
    #expect(
      folder.message {
        _ = try Settings.load(
          file: folder.write(Array("bplist00".utf8) + Array(repeating: 0xFF, count: 40), to: "bad.plist"))
      }
        == "bad.plist: not a valid binary property list")
  }

  @Test func overridesGoOverTheFile() throws {
    let settings = try TemporaryFolder().load(
      "settings.plist", tutorial,
      [
        ("clientID", "other"), ("redirectURL", "http://localhost:8080"), ("policies.reset", "b2c_1_reset"),
        ("policies.signIn", "b2c_1_in"), ("scopes", "openid tasks.read"), ("color", "blue"), ("shade.of", "gray"),
        ("clientSecret", "hidden-value"),
      ])
    #expect(try settings.clientID == "other")
    #expect(try settings.redirectURL == "http://localhost:8080")
    #expect(settings.policies == ["reset": "b2c_1_reset", "signIn": "b2c_1_in"])
    #expect(settings.scopes == ["openid", "tasks.read"])
    #expect(settings["color"] == "blue")
    #expect(settings["shade"] == ["of": "gray"])
    #expect(settings.clientSecret?.reveal() == "hidden-value")
  }

  @Test func overridesAloneAreEnough() throws {
    let settings = try Settings.load(file: nil, overrides: [("clientID", "a")]) { _ in nil }
    #expect(try settings.clientID == "a")
    #expect(
      TemporaryFolder().message { _ = try settings.taskAPI }
        == "--set: taskAPI is missing; put the URL of your task API there")
  }

  @Test func theUsersFileIsFoundInTheConfigurationFolder() throws {
    let folder = TemporaryFolder()
    folder.write([], to: "settings.plist")
    #expect(
      folder.message { _ = try Settings.load(file: nil) { $0 == "XDG_CONFIG_HOME" ? folder.path : nil } }
        == "there are no settings: looked for settings.plist and b2c-run/settings.plist")
    #expect(
      folder.message { _ = try Settings.load(file: nil) { $0 == "HOME" ? "/nobody" : nil } }
        == "there are no settings: looked for settings.plist and /nobody/.config/b2c-run/settings.plist")
    #expect { try Settings.load(file: nil) { _ in nil } } throws: {
      ($0 as? SettingsError)?.hint
        == "write one of them, name a file with --settings FILE, or try the local tenant with --local"
    }
  }

  @Test func changesMakeACopy() throws {
    let settings = try Settings(
      values: ["clientID": "a", "taskAPI": "http://127.0.0.1:1/"], source: "the local tenant")
    let changed = try settings.with(["clientID": "b", "taskAPI": nil, "extra": [1, 2]])
    #expect(try settings.clientID == "a")
    #expect(try changed.clientID == "b")
    #expect(changed["extra"] == [1, 2])
    let folder = TemporaryFolder()
    #expect(
      folder.message { _ = try changed.taskAPI }
        == "the local tenant: taskAPI is missing; put the URL of your task API there")
    #expect(
      folder.message { _ = try settings.with(["tokenUrl": "https://a"]) }
        == "settings.with: there is no setting \"tokenUrl\"; did you mean \"tokenURL\"?")
    #expect(
      folder.message { _ = try settings.with(["clientID": 3]) }
        == "settings.with: clientID must be a string, not a number; put your application's client ID there")
  }
}
