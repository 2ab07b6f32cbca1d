import CommandLineSupport
import Foundation
import HTTPServer
import Testing

@Suite("A provider that is wrong in one way")
struct BadProviderTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var flaw: ScriptedProvider.Flaw
    /// The expected message. ISSUER, SERVER, STATE and NONCE stand for the provider's values, and TIME for any time.
    var message: String
    var testDescription: String { "\(flaw)" }

    init(_ flaw: ScriptedProvider.Flaw, _ message: String) {
      self.flaw = flaw
      self.message = message
    }
  }

  static let cases: [Case] = [
    Case(
      .wrongState,
      """
      the redirect's state is not the one that was sent: expected "STATE", got "forged"
        hint: the answer belongs to another sign-in, or somebody forged it; sign in again
      """),
    Case(
      .noState,
      """
      the redirect's state is not the one that was sent: expected "STATE", got none
        hint: the answer belongs to another sign-in, or somebody forged it; sign in again
      """),
    Case(
      .noCode,
      """
      the redirect has neither a code nor an error; its parameters are hello, state
      """),
    Case(
      .refusal,
      """
      AADB2C90118: The user has forgotten their password
        hint: sign in with the password reset policy (policies.reset)
      """),
    Case(
      .wrongNonce,
      """
      the ID token belongs to another sign-in (nonce): expected "NONCE", got "replayed"
        hint: somebody may have replayed it; sign in again
      """),
    Case(
      .noNonce,
      """
      the ID token has no nonce
      """),
    Case(
      .wrongAudience,
      """
      the ID token is for another application (aud): expected "app", got "another-app"
        hint: check clientID (settings.plist:4)
      """),
    Case(
      .wrongIssuer,
      """
      the ID token is from another issuer (iss): expected "ISSUER", got "https://evil.example"
      """),
    Case(
      .foreignKey,
      """
      the ID token cannot be believed: the token's signature was not made by the key "key-1"
      """),
    Case(
      .unknownKey,
      """
      the ID token is signed by a key that ISSUER does not publish (kid): expected "key-1", got "key-9"
      """),
    Case(
      .unsigned,
      """
      the ID token is signed in a way that is not allowed (alg): expected RS256, got "none"
      """),
    Case(
      .expired,
      """
      the ID token has expired (exp): expected a time after TIME, got TIME
        hint: clocks may differ by 300 seconds; check this machine's clock
      """),
    Case(
      .notYet,
      """
      the ID token is not valid yet (nbf): expected a time before TIME, got TIME
        hint: clocks may differ by 300 seconds; check this machine's clock
      """),
    Case(
      .noIDToken,
      """
      the token response has no ID token, so the user is unknown
        hint: request the scope openid; if the provider gives no ID token, give the option subject
      """),
    Case(
      .metadataIssuer,
      """
      the metadata document ISSUER/.well-known/openid-configuration names an issuer of another place: expected "ISSUER", got "https://evil.example"
        hint: if that issuer is yours, put it into the settings as issuer
      """),
    Case(
      .metadataNotJSON,
      """
      the metadata document ISSUER/.well-known/openid-configuration is not valid JSON at line 1, column 1: invalid token near '<': "Welcome!"
        hint: check authority (settings.plist:5)
      """),
    Case(
      .metadataMissing,
      """
      the metadata document ISSUER/.well-known/openid-configuration answered 404: "no such page"
        hint: check authority (settings.plist:5)
      """),
    Case(
      .insecureToken,
      """
      token_endpoint in the metadata document ISSUER/.well-known/openid-configuration would send secrets in the clear: "http://evil.example/token"
        hint: the provider must offer https
      """),
    Case(
      .tokenNotJSON,
      """
      the token endpoint SERVER/token answered 200 with text/html instead of JSON: "Welcome!"
        hint: check tokenURL and policies, which settings.plist does not set
      """),
    Case(
      .tokenRefusal,
      """
      invalid_grant: the code [secret] does not go with [secret]
        hint: sign in again
      """),
    Case(
      .tokenErrorWith200,
      """
      server_error: no luck today
        hint: try again later
      """),
    Case(
      .tokenTruncated,
      """
      the token endpoint SERVER/token answered 200 with damaged JSON (line 1, column 38)
        hint: the provider or the network is in trouble; try again later
      """),
    Case(
      .tokenHuge,
      """
      the token endpoint could not be read: the answer to POST to AUTHORITY is larger than 1048576 bytes
        hint: check that the address in settings.plist is the provider's
      """),
    Case(
      .tokenCutOff,
      """
      the token endpoint could not be read: the connection of POST to AUTHORITY was lost before the answer was complete
        hint: the provider or the network is in trouble; try again later
      """),
    Case(
      .tokenDown,
      """
      the token endpoint SERVER/token answered 503 with text/html instead of JSON: "Back at noon"
        hint: the provider or the network is in trouble; try again later
      """),
    Case(
      .metadataHuge,
      """
      the metadata document could not be read: the answer to GET to AUTHORITY is larger than 1048576 bytes
        hint: check that the address in settings.plist is the provider's
      """),
    Case(
      .keysNotJSON,
      """
      the key set SERVER/keys is not valid JSON at line 1, column 1: invalid token near '<': "Welcome!"
        hint: check authority (settings.plist:5)
      """),
    Case(
      .pageNotHTML,
      """
      SERVER/authorize answered with status 200 and text/plain, not with a page: Hello!
      """),
  ]

  @Test(arguments: cases)
  func wrong(example: Case) throws {
    let provider = try ScriptedProvider(example.flaw)
    let result = try Self.signIn(provider)
    let expected = example.message.replacing("ISSUER", with: provider.issuer)
      .replacing("SERVER", with: provider.url).replacing("AUTHORITY", with: provider.authority)
      .replacing("STATE", with: provider.exchange.state)
      .replacing("NONCE", with: provider.exchange.nonce)
    #expect(result.status == 1)
    #expect(result.output == "")
    #expect(Self.withoutTimes(result.errors) == "b2c-run: sign_in.lua:2: \(expected)\n")
  }

  @Test("nobody is there")
  func down() throws {
    let port = try HTTPServer { _ in ServerResponse(status: 200) }.port
    let program = try Program()
    let result = try program.run(
      "--set", "clientID=app", "--set", "authority=http://127.0.0.1:\(port)/contoso", "--set",
      "bhh=http://127.0.0.1:9/", "-e", "b2c.accounts.sign_in { agent = 'headless' }")
    #expect(result.status == 1)
    #expect(
      result.errors == """
        b2c-run: (command line):1: the metadata document could not be reached: cannot connect to 127.0.0.1:\(port) \
        (connection refused)
          hint: check the address and its port, and whether the server runs

        """)
  }

  @Test("it does not answer, and the script has a time limit of its own, or the command line has")
  func slow() throws {
    let server = try HTTPServer { _ in ServerResponse(status: 200, delay: 3600) }
    defer { server.stop() }
    let settings = [
      "--set", "clientID=app", "--set", "authority=http://127.0.0.1:\(server.port)/contoso", "--set",
      "bhh=http://127.0.0.1:9/",
    ]
    // A request has 30 s: the script's own limit ends the wait for it, before that of the command line does.
    let limited = try Program().run(
      list: ["--timeout", "20"] + settings + [
        "-e", "b2c.async.timeout(0.2, function() b2c.accounts.sign_in { agent = 'headless' } end)",
      ])
    #expect(limited.status == 1, "\(limited)")
    #expect(limited.errors.hasPrefix("b2c-run: (command line):1: async.timeout: not done after 0.2 s"), "\(limited)")
    let stopped = try Program().run(
      list: ["--timeout", "0.2"] + settings + ["-e", "b2c.accounts.sign_in { agent = 'headless' }"])
    #expect(stopped.status == 124)
    #expect(stopped.errors == "b2c-run: stopped after 0.2 s (--timeout)\n")
  }

  @Test("the redirect URI names a port that is taken")
  func portTaken() throws {
    let server = try HTTPServer { _ in ServerResponse(status: 200) }
    defer { server.stop() }
    let result = try Program().run(
      "--local", "--set", "bhh=http://localhost:\(server.port)/back", "-e",
      "b2c.accounts.sign_in { agent = 'system' }")
    #expect(result.status == 1)
    #expect(
      result.errors == """
        b2c-run: (command line):1: the browser cannot come back to port \(server.port): another program listens there
          hint: end that program (ss -ltnp 'sport = :\(server.port)' names it), or set redirectURL to another port or none

        """)
  }

  @Test("without a flaw, it signs in")
  func right() throws {
    let result = try Self.signIn(ScriptedProvider())
    #expect(result.status == 0, "\(result)")
    #expect(result.output == "Alice\n")
  }

  @Test(
    "nothing to paste, or something of no use, at the terminal",
    arguments: [
      (
        "", "the input ended before the address or the code of the sign-in was pasted",
        "run it on a terminal, or use the headless agent"
      ),
      (
        "nonsense\n",
        "AADB2C90080: The provided grant is unknown here or has expired. Please re-authenticate and try again",
        "sign in again"
      ),
    ])
  func terminal(input: String, message: String, hint: String) throws {
    let result = try Program().run("--local", "-e", "b2c.accounts.sign_in { agent = 'terminal' }", input: input)
    #expect(result.status == 1)
    #expect(result.output == "")
    #expect(result.errors.hasSuffix("\nb2c-run: (command line):1: \(message)\n  hint: \(hint)\n"), "\(result)")
  }

  @Test("a lifetime without end is a long one", arguments: ["9223372036854775807", "-9223372036854775808", "1e18"])
  func lifetime(text: String) throws {
    let script = """
      local times = [["expires_in": \(text), "refresh_token_expires_in": \(text)]]
      tenant.fault {
        path = settings.tokenURL:match "^%w+://[^/]+([^?]*)", status = 200,
        headers = { ["Content-Type"] = "application/json" },
        body = [[{ "access_token": "x", "token_type": "Bearer", ]] .. times .. "}",
      }
      local answer = oauth.token { grant_type = "password", username = "alice", password = "Wonderland-1" }
      print(math.type(answer.expires_at))
      """
    let result = try Program().run("--local", "-e", script)
    #expect(result.output == "integer\n", "\(result)")
  }

  static func signIn(_ provider: ScriptedProvider, options: [String] = []) throws -> Program.Result {
    let program = try Program()
    try program.write("settings.plist", provider.settings)
    try program.write(
      "sign_in.lua",
      """
      local b2c = require "b2c"
      local alice = b2c.accounts.sign_in { agent = "headless", username = "alice", password = "\(ScriptedProvider.password)" }
      print(alice.name)
      """)
    return try program.run(list: options + ["sign_in.lua"])
  }

  private static func withoutTimes(_ text: String) -> String {
    text.replacing(#/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/#, with: "TIME")
  }
}
