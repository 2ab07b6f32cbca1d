import CommandLineSupport
import Foundation
import Testing

@Suite("A client secret that is not in the process list")
struct SecretArgumentTests {
  private static let secret = SecrecyFlowTests.webSecret
  /// Signs the tenant's web application in, and shows the command line of this process.
  private static let signIn = [
    "-A", "--local", "--set", "clientID=b7d2e8c1-93f4-4a6d-8e05-27c9f1a4d36b", "-e",
    """
    local account = b2c.accounts.sign_in {
      flow = "client_credentials", scopes = { "https://contoso.onmicrosoft.com/tasks/.default" },
    }
    print(account.name, io.open("/proc/self/cmdline"):read("a"))
    """,
  ]

  @Test("from a file, a pipe or standard input", arguments: [secret, secret + "\n", secret + "\r\n"])
  func sources(content: String) throws {
    let program = try Program()
    try program.write("secret.txt", content)
    let results = [
      try program.run(list: ["--set", "clientSecret=@secret.txt"] + Self.signIn),
      try program.run(list: ["--set", "clientSecret=@-"] + Self.signIn, input: content),
      try program.run(list: ["--set=clientSecret=@/dev/stdin"] + Self.signIn, input: content),
    ]
    for result in results {
      #expect(result.status == 0, "\(result)")
      #expect(result.output.hasPrefix("b7d2e8c1-93f4-4a6d-8e05-27c9f1a4d36b\t"))
      #expect(result.output.contains("clientSecret=@"))
      #expect(!result.output.contains(Self.secret))
    }
  }

  @Test("nor is any other secret, in this process or the browser it starts")
  func children() throws {
    let tenant = try RunningTenant(SecrecyFlowTests.asWebApplication)
    let browser = try tenant.program.write(
      "browser",
      """
      #!/bin/sh
      cat /proc/$PPID/cmdline /proc/$PPID/environ /proc/$$/cmdline /proc/$$/environ > seen 2>&1
      exec "\(Program.binary.path)" --allow-net -e '
        local redirect = b2c.browser.open(..., { agent = "headless", username = "alice", password = "Wonderland-1" })
        b2c.http.get(redirect)' "$1"
      """)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: browser)
    try tenant.program.write(
      "system.lua",
      """
      local b2c = require "b2c"
      local oauth = b2c.oauth
      b2c.accounts.sign_in { agent = "system", flow = function(ctx)
        local pkce = oauth.pkce()
        local url = oauth.authorize_url { redirect_uri = ctx.redirect_uri, pkce = pkce, nonce = oauth.random() }
        local answer = oauth.redirect(b2c.browser.open(url, { agent = ctx.agent }), { redirect_uri = ctx.redirect_uri })
        io.open("verifier", "w"):write(type(pkce.verifier) == "string" and pkce.verifier or pkce.verifier:reveal()):close()
        return oauth.token {
          grant_type = "authorization_code", code = answer.code, redirect_uri = ctx.redirect_uri,
          code_verifier = pkce.verifier,
        }
      end }
      """)
    let result = try tenant.program.shell("BROWSER=\"$1\" \"$0\" --allow-write=verifier system.lua", browser)
    #expect(result.status == 0, "\(result)")
    let seen = try Data(contentsOf: tenant.program.folder.appending(path: "seen"))
    let verifier = try String(contentsOf: tenant.program.folder.appending(path: "verifier"), encoding: .utf8)
    #expect(verifier.count >= 43)
    let text = String(decoding: seen, as: UTF8.self)
    #expect(text.contains("system.lua") && text.contains("code_challenge_method=S256"), "\(text)")
    #expect(SecretSearch([verifier, Self.secret]).finds(in: seen) == [])
  }
}
