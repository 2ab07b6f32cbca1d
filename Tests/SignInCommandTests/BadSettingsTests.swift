import CommandLineSupport
import Foundation
import Testing

@Suite("Settings that cannot be used")
struct BadSettingsTests {
  /// `message` is what stands behind the place in the script.
  struct Case: Sendable {
    var file = "settings.plist"
    var text = ""
    var arguments: [String] = []
    var message: String
  }

  static let cases: [Case] = [
    Case(
      text: plist("  <key>clientKey</key>\n  <string>../key.pem</string>"),
      message: """
        settings.plist:5: clientKey names a key file, which the settings.plist of the current folder may not do; use --settings ./settings.plist, or store the key with jose.key.save and put stored:NAME there
        """),
    Case(
      text: plist("  <key>clientID</key>\n  <string>&lt;client ID&gt;</string>"),
      message: """
        settings.plist:5: clientID is still the placeholder "<client ID>"; put your application's client ID there
        """),
    Case(
      text: plist("  <key>bhh</key>\n  <string>urn:x</string>\n  <key>clientID</key>\n  <string><client ID></string>"),
      message: """
        settings.plist:7: clientID is still the placeholder "<client ID>"; put your application's client ID there
        """),
    Case(
      text: "<plist version=\"1.0\">\n<dict>\n  <key>clientID</key>\n  <string>app</string>\n",
      message: """
        settings.plist:5: not a valid property list: Premature end of data in tag dict line 2
          hint: a settings file is an XML or binary property list, or JSON when its name ends in .json
        """),
    Case(
      file: "my.json", text: "{\n  \"clientID\": }", arguments: ["--settings", "my.json"],
      message: "my.json:2: not valid JSON: column 15: unexpected token near '}'"),
    Case(
      text: plist("  <key>taskAPI</key>\n  <string>http://tasks.example.com</string>"),
      message: """
        settings.plist:5: taskAPI would send secrets in the clear to tasks.example.com: "http://tasks.example.com"; use https; http is for this machine only (localhost, 127.0.0.1)
        """),
    Case(
      text: plist("  <key>taskAPI</key>\n  <string>tasks.example.com/api</string>"),
      message: """
        settings.plist:5: taskAPI is "tasks.example.com/api", which is not an absolute URL; put the URL of your task API there
        """),
    Case(
      text: plist("  <key>clientID</key>\n  <integer>7</integer>"),
      message: "settings.plist:5: clientID must be a string, not a number; put your application's client ID there"),
    Case(arguments: ["--settings", "/"], message: "the settings file \"/\" cannot be read: Is a directory"),
    Case(
      arguments: ["--set", "clientId=app"],
      message: "--set: there is no setting \"clientId\"; did you mean \"clientID\"?"),
    Case(
      arguments: ["--set", "policies.signin=b2c_1_in"],
      message: "--set: there is no setting \"policies.signin\"; did you mean \"policies.signIn\"?"),
    Case(
      arguments: ["--set", "policies=b2c_1_in"],
      message: "--set: policies needs a name, as in policies.NAME=VALUE, or a JSON object"),
    Case(
      arguments: ["--set", "taskAPI=http://tasks.example.com"],
      message: """
        --set: taskAPI would send secrets in the clear to tasks.example.com: "http://tasks.example.com"; use https; http is for this machine only (localhost, 127.0.0.1)
        """),
  ]

  @Test(arguments: cases)
  func wrong(example: Case) throws {
    let program = try Program()
    if !example.text.isEmpty { try program.write(example.file, example.text) }
    let result = try program.run(list: example.arguments + ["-e", "print(b2c.settings.clientID)"])
    #expect(result.status == 3)
    #expect(result.output == "")
    #expect(result.errors == "b2c-run: (command line):1: \(example.message)\n")
  }

  @Test("a file that is not there is told, whether the run needs it or not", arguments: [[], ["--local"]])
  func missingFile(options: [String]) throws {
    let program = try Program()
    let result = try program.run(list: options + ["--settings", "nowhere.plist", "-e", "print(1)"])
    #expect(result.status == 3 && result.output == "")
    #expect(
      result.errors == """
        b2c-run: the settings file "nowhere.plist" does not exist
          hint: name another one with --settings FILE, or try the local tenant with --local

        """)
    #expect(try program.run(list: options + ["--settings", "nowhere.plist", "help", "settings"]).status == 0)
  }

  @Test("a script that changes settings hears the same")
  func changedCopy() throws {
    let result = try Program().run(
      "--set", "clientID=app", "-e", "b2c.settings.with { taskAPI = 'http://tasks.example.com' }")
    #expect(result.status == 3)
    #expect(
      result.errors == """
        b2c-run: (command line):1: settings.with: taskAPI would send secrets in the clear to tasks.example.com: "http://tasks.example.com"; use https; http is for this machine only (localhost, 127.0.0.1)

        """)
  }

  @Test("a misspelled key in a file is a warning, once a run, and what a missing one hints at")
  func misspelled() throws {
    let program = try Program()
    try program.write("settings.plist", Self.plist("  <key>clientId</key>\n  <string>app</string>"))
    let warning = "warn  settings.plist:4: there is no setting \"clientId\"; did you mean \"clientID\"?\n"
    let read = try program.run(
      "-e", "print(b2c.settings.clientID, b2c.settings.clientId, #b2c.settings.misspelled())")
    #expect(read.status == 0)
    #expect(read.output == "nil\tapp\t1\n")
    #expect(read.errors == warning)
    let missing = try program.run("--set", "bhh=http://localhost/", "-e", "b2c.oauth.authorize_url()")
    #expect(missing.status == 3)
    #expect(
      missing.errors
        == warning + """
          b2c-run: (command line):1: settings.plist: clientID is missing; put your application's client ID there
            hint: settings.plist:4 has "clientId": rename it

          """)
  }

  @Test("a key that a call needs and nobody has set")
  func missingKey() throws {
    let result = try Program().run(
      "--set", "clientID=app", "--set", "bhh=http://localhost/", "-e",
      "\nb2c.accounts.sign_in { agent = 'headless' }")
    #expect(result.status == 1)
    #expect(
      result.errors == """
        b2c-run: (command line):2: --set has neither authURL nor authority
          hint: put one of them into the settings, or try the local tenant with --local

        """)
  }

  private static func plist(_ entries: String) -> String {
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <plist version="1.0">
    <dict>
    \(entries)
    </dict>
    </plist>

    """
  }
}
