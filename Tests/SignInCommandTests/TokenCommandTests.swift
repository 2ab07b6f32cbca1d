import CommandLineSupport
import Foundation
import Testing

@Suite("b2c-run token")
struct TokenCommandTests {
  @Test("--reveal prints the token and nothing else, for curl and its like")
  func reveal() throws {
    let tenant = try RunningTenant()
    try tenant.signIn()
    let result = try tenant.program.run("token", "--reveal", "Alice Liddell")
    #expect(result.errors == "")
    #expect(result.output.wholeMatch(of: #/[\w-]+\.[\w-]+\.[\w-]+\n/#) != nil, "\(result)")
    let answer = try tenant.program.run(
      "-e",
      """
      local answer = b2c.http.get(b2c.settings.taskAPI .. "/api/tasks",
        { headers = { Authorization = "Bearer " .. io.read() }, raise = false })
      print(answer.status)
      """, input: result.output)
    #expect(answer.output == "200\n", "\(answer)")
  }

  @Test("--refresh gets a new one")
  func refresh() throws {
    let tenant = try RunningTenant()
    try tenant.signIn()
    let old = try tenant.program.run("token", "--reveal").output
    #expect(try tenant.program.run("token", "--reveal").output == old)
    let new = try tenant.program.run("token", "--reveal", "--refresh").output
    #expect(new != old)
    #expect(try tenant.program.run("token", "--reveal").output == new)
  }

  @Test("nobody signed in, and a name there is not")
  func nobody() throws {
    let tenant = try RunningTenant()
    let nobody = try tenant.program.run("token", "--reveal")
    #expect(nobody.status == 1)
    #expect(nobody.output == "")
    #expect(
      nobody.errors == """
        b2c-run: nobody is signed in
          hint: b2c-run sign-in does it, or accounts.sign_in { … } in a script

        """)
    let unknown = try tenant.program.run("token", "Bob")
    #expect(unknown.status == 1)
    #expect(unknown.errors == "b2c-run: there is no account named 'Bob'\n  hint: nobody is signed in\n")
    // The suggested command can be pasted.
    let settings = tenant.program.folder.appending(path: "settings.plist")
    try FileManager.default.moveItem(at: settings, to: tenant.program.folder.appending(path: "my own.plist"))
    let flags = [
      "--settings", "my own.plist", "--set", "clientSecret=hidden-value", "--set", "customHeaders.Key=hidden-value",
      "--set", "scopes=openid x", "--set", "color=red", "--store", "it's",
    ]
    let elsewhere = try tenant.program.run(list: flags + ["token"])
    #expect(
      elsewhere.errors == """
        b2c-run: nobody is signed in
          hint: b2c-run --settings 'my own.plist' --set clientSecret=… --set customHeaders.Key=… --set 'scopes=openid x' \
        --store 'it'\\''s' sign-in does it, or accounts.sign_in { … } in a script

        """)
    let local = try tenant.program.run("--local", "token")
    #expect(
      local.errors.hasSuffix(
        "info  signed in as alice, a user of the local tenant\ninfo  the token itself: b2c-run token --reveal\n"),
      "\(local)")
  }

  @Test("a provider that is gone is told, with the token untouched on disk")
  func gone() throws {
    let tenant = try RunningTenant()
    try tenant.signIn()
    tenant.stop()
    #expect(try tenant.program.run("token", "--reveal").status == 0)
    let result = try tenant.program.run("token", "--refresh")
    #expect(result.status == 1)
    #expect(result.output == "")
    #expect(result.errors.contains("127.0.0.1"), "\(result)")
    #expect(try tenant.names() == "Alice Liddell\tb2c_1_susi\n")
  }
}
