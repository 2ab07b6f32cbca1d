import JSON
import Settings
import TestSupport
import Testing

@Suite struct SettingsErrorTests {
  private static func plist(_ body: String) -> String {
    "<plist version=\"1.0\">\n<dict>\n\(body)\n</dict>\n</plist>"
  }

  @Test(arguments: [
    (
      "<key>clientID</key>\n<string><client ID></string>",
      "settings.plist:4: clientID is still the placeholder \"<client ID>\"; put your application's client ID there"
    ),
    (
      "<key>clientID</key>\n<string>&lt;client ID&gt;</string>",
      "settings.plist:4: clientID is still the placeholder \"<client ID>\"; put your application's client ID there"
    ),
    (
      "<key>clientID</key>\n<string>\n  <clientid>\n</string>",
      "settings.plist:5: clientID is still the placeholder \"<clientid>\"; put your application's client ID there"
    ),
    (
      "<key>authURL</key>\n<string>https://login.microsoftonline.com/<tenant>.onmicrosoft.com/x</string>",
      "settings.plist:4: authURL still has the placeholder \"<tenant>\"; put the URL of your tenant's authorization endpoint there"
    ),
    (
      "<key>taskAPI</key>\n<string><your server></your></string>",
      "settings.plist:4: taskAPI still has the placeholder \"<your server>\"; put the URL of your task API there"
    ),
    (
      "<key>policies</key>\n<dict><key>signIn</key>\n<string>&lt;policy&gt;</string></dict>",
      "settings.plist:4: policies.signIn is still the placeholder \"<policy>\"; put the names of your policies "
        + "(signIn, signUp, reset, edit, ropc, mfa) there"
    ),
    (
      "<key>clientID</key>\n<string>a",
      "settings.plist:5: not a valid property list: Opening and ending tag mismatch: string line 4 and dict"
    ),
    ("<key>clientID</key>", "settings.plist:3: the key \"clientID\" has no value"),
    ("<string>a</string>", "settings.plist:3: expected <key>, found <string>"),
    ("<key>a</key><strin>b</strin>", "settings.plist:3: <strin> is not an element of a property list"),
    ("<key>a</key><integer>b</integer>", "settings.plist:3: \"b\" is not an integer"),
    (
      "<key>a</key><true/>\n<key>a</key><false/>",
      "settings.plist:4: the key \"a\" occurs twice, the first time in line 3"
    ),
    (
      "<key>bhh</key><string>a:b</string>\n<key>redirectURL</key><string>a:c</string>",
      "settings.plist:4: redirectURL is set twice, the first time at settings.plist:3"
    ),
    (
      "<key>clientID</key><integer>3</integer>",
      "settings.plist:3: clientID must be a string, not a number; put your application's client ID there"
    ),
    (
      "<key>scopes</key><true/>",
      "settings.plist:3: scopes must be a list of strings, not a boolean; put the scopes to request there"
    ),
    (
      "<key>scopes</key><array><string>a</string><integer>1</integer></array>",
      "settings.plist:3: scopes must be a list of strings; one of them is a number"
    ),
    (
      "<key>customHeaders</key><string>a</string>",
      "settings.plist:3: customHeaders must be strings by name, not a string; put a table of header fields for the token endpoint and the task API there"
    ),
    (
      "<key>authURL</key><string>login.example.com/x</string>",
      "settings.plist:3: authURL is \"login.example.com/x\", which is not an absolute URL; "
        + "put the URL of your tenant's authorization endpoint there"
    ),
    (
      "<key>tokenURL</key><string>ftp://example.com/x</string>",
      "settings.plist:3: tokenURL is \"ftp://example.com/x\", which is neither https nor http; "
        + "put the URL of your tenant's token endpoint there"
    ),
    (
      "<key>taskAPI</key><string>http://tasks.example.com</string>",
      "settings.plist:3: taskAPI would send secrets in the clear to tasks.example.com: \"http://tasks.example.com\"; "
        + "use https; http is for this machine only (localhost, 127.0.0.1)"
    ),
    (
      "<key>taskAPI</key><string>https://me:my-password@example.com</string>",
      "settings.plist:3: taskAPI has a user name or password in it, which errors and logs would show; take them out"
    ),
    (
      "<key>bhh</key><string>http://example.com/done</string>",
      "settings.plist:3: bhh would send secrets in the clear to example.com: \"http://example.com/done\"; "
        + "use https; http is for this machine only (localhost, 127.0.0.1)"
    ),
    (
      "<key>contentType</key><string>text/xml</string>",
      "settings.plist:3: contentType is \"text/xml\"; put the content type of new tasks (application/x-www-form-urlencoded, "
        + "application/json or multipart/form-data) there"
    ),
  ])
  func propertyListErrorsNameTheLineAndTheRemedy(_ body: String, _ message: String) throws {
    let folder = TemporaryFolder()
    #expect(folder.message { _ = try folder.load("settings.plist", Self.plist(body)) } == message)
  }

  @Test(arguments: [
    (
      "{\n\"clientID\": 1\n}",
      "s.json:2: clientID must be a string, not a number; put your application's client ID there"
    ),
    ("{\n\"clientID\" \"a\"\n}", "s.json:2: not valid JSON: column 14: ':' expected near '\"a\"'"),
    ("[]", "s.json:1: expected an object ({…}), not a list"),
    (
      "{\n\"clientID\": <client ID>\n}",
      "s.json:2: there is still the placeholder \"<client ID>\"; put the value there, in quotes"
    ),
    (
      "{\"a\": 1,\n\n\"clientID\":\"<client ID>\"}",
      "s.json:3: clientID is still the placeholder \"<client ID>\"; put your application's client ID there"
    ),
  ])
  func jsonErrorsNameTheLineAndTheRemedy(_ text: String, _ message: String) throws {
    let folder = TemporaryFolder()
    #expect(folder.message { _ = try folder.load("s.json", text) } == message)
  }

  @Test func aFileThatIsNoSettingsFileIsSaidToBeNone() throws {
    let folder = TemporaryFolder()
    #expect(
      folder.message { _ = try folder.load("settings.plist", "{ clientID = 1; }") }
        == "settings.plist:1: not a valid property list: Start tag expected, '<' not found")
    #expect(
      folder.message { _ = try folder.load("settings.plist", "") }
        == "settings.plist:1: not a valid property list: Document is empty")
    #expect(
      folder.message { _ = try Settings.load(file: "\(folder.path)/none.plist") }
        == "the settings file \"none.plist\" does not exist")
    #expect(
      folder.message { _ = try Settings.load(file: "\(folder.path)/.") }
        == "the settings file \".\" cannot be read: Is a directory")
  }

  @Test func aMissingKeyIsNamedWhenItIsNeeded() throws {
    let folder = TemporaryFolder()
    let settings = try folder.load("settings.plist", Self.plist("<key>clientID</key><string> </string>"))
    #expect(
      folder.message { _ = try settings.clientID }
        == "settings.plist: clientID is missing; put your application's client ID there")
    #expect(
      folder.message { _ = try settings.policy("reset") }
        == "settings.plist: policies.reset is missing; put the name of your tenant's policy for it (b2c_1_…) there")
  }

  @Test(arguments: [
    ("clientId", "x", "--set: there is no setting \"clientId\"; did you mean \"clientID\"?"),
    ("clientID.x", "x", "--set: clientID has no parts, so clientID.x is not a setting"),
    ("policies", "x", "--set: policies needs a name, as in policies.NAME=VALUE, or a JSON object"),
    (
      "taskAPI", "tasks.example.com",
      "--set: taskAPI is \"tasks.example.com\", which is not an absolute URL; put the URL of your task API there"
    ),
  ])
  func overridesAreCheckedToo(_ name: String, _ value: String, _ message: String) throws {
    let folder = TemporaryFolder()
    #expect(folder.message { _ = try Settings.load(file: nil, overrides: [(name, value)]) { _ in nil } } == message)
  }

  @Test(arguments: [
    "http://localhost:80/x", "http://127.0.0.1", "http://127.9.9.9:1", "http://[::1]:8080/a", "HTTP://LOCALHOST/",
    "https://example.com", "http://a.localhost/",
  ])
  func httpIsAllowedToThisMachine(_ url: String) throws {
    #expect(try Settings(values: ["tokenURL": .string(url)], source: "test").tokenURL == url)
  }

  @Test(arguments: [
    "http://localhost.example.com", "http://127.0.0.1.example.com", "http://0.0.0.0", "http://user@example.com",
  ])
  func httpIsRefusedToOthers(_ url: String) {
    #expect(throws: SettingsError.self) { try Settings(values: ["tokenURL": .string(url)], source: "test") }
  }

  /// A dictionary whose only member is the dictionary itself.
  @Test func containerThatHoldsItself() throws {
    let folder = TemporaryFolder()
    let objects: [UInt8] = [0xD1, 1, 0, 0x51, 0x61]
    let trailer: [UInt8] = [0, 0, 0, 0, 0, 0, 1, 1] + [2, 0, 13].flatMap { [0, 0, 0, 0, 0, 0, 0, $0] as [UInt8] }
    let file = folder.write(Array("bplist00".utf8) + objects + [8, 11] + trailer, to: "settings.plist")
    #expect(
      folder.message { _ = try Settings.load(file: file) }
        == "settings.plist: not a valid binary property list")
  }
}
