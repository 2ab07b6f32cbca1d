import CommandLineSupport
import Foundation
import Testing

@Suite("experiment --deviations")
struct DeviationTests {
  /// Signs in with all that deviations can change: PKCE, a pushed request, proofs, assertions and a refresh token.
  private static let fullFlow = """
    local b2c = require "b2c"
    local key = b2c.jose.key.generate { alg = "ES256" }
    b2c.jose.key.save(key, "client")
    local app = b2c.tenant.add_application {
      client_name = "App", token_endpoint_auth_method = "private_key_jwt", jwks = b2c.jose.key.public(key),
    }
    b2c.accounts.sign_in {
      settings = b2c.settings.with {
        clientID = app.client_id, clientAuthentication = "private_key_jwt", clientKey = "stored:client",
        scopes = { "openid", "offline_access", "https://contoso.onmicrosoft.com/tasks/read" },
      },
      par = true, dpop = true, agent = "headless", username = "alice", password = "Wonderland-1",
    }
    """

  private static func signIn(_ options: String = "") -> String {
    "require('b2c').accounts.sign_in { agent = 'headless', username = 'alice', password = 'Wonderland-1', \(options) }"
  }

  /// The local tenant compares this redirect URI exactly. On a loopback host it allows any path.
  private static let exact = ["--local", "--set", "redirectURL=urn:ietf:wg:oauth:2.0:oob"]

  private struct Finding: Decodable {
    struct Rule: Decodable { let level, source: String }

    let name, outcome: String
    let code, reason: String?
    let rule: Rule
  }

  private struct Results: Decodable {
    let deviations: [Finding]
    let summary: String
    let provider: String

    subscript(_ name: String) -> Finding? { deviations.first { $0.name == name } }

    func names(_ outcome: String) -> Set<String> {
      Set(deviations.filter { $0.outcome == outcome }.map(\.name))
    }
  }

  private func results(_ result: Program.Result) throws -> Results {
    #expect(result.status == 0, "\(result)")
    return try JSONDecoder().decode(Results.self, from: Data(result.output.utf8))
  }

  @Test("the local tenant refuses all that it must refuse; a public client's refresh token is bound to its key")
  func tenant() throws {
    let program = try Program()
    try program.write("full.lua", Self.fullFlow)
    try program.write("public.lua", Self.signIn("dpop = true, par = true"))
    let full = try results(program.run(list: Self.exact + ["experiment", "--deviations", "full.lua", "--json"]))
    #expect(full.names("accepted") == ["implicit"], "\(full)")
    #expect(full.names("client") == ["missing_state", "changed_nonce"], "\(full)")
    #expect(full.names("unclear") == [], "\(full)")
    #expect(full.names("not used") == ["refresh_other_key"], "\(full)")
    #expect(full["assertion_unsigned"]?.code == "invalid_client")
    #expect(full["proof_old"]?.code == "invalid_dpop_proof")
    #expect(full["code_twice"]?.code == "invalid_grant")
    #expect(full["refresh_twice"]?.rule.level == "may")
    let open = try results(program.run(list: Self.exact + ["experiment", "--deviations", "public.lua", "--json"]))
    #expect(open["refresh_other_key"]?.outcome == "refused", "\(open)")
    #expect(open["assertion_expired"]?.reason == "no client assertion")
    // Bound to the key of the proof, it need not be replaced.
    #expect(open["refresh_twice"]?.rule.level == "may")
  }

  @Test("at another provider it asks first, and --yes agrees; no account is stored")
  func agreement() throws {
    let tenant = try RunningTenant()
    let program = tenant.program
    try program.write("flow.lua", Self.signIn())
    let unasked = try program.run("experiment", "--deviations", "flow.lua")
    #expect(unasked.status == 2 && unasked.output == "", "\(unasked)")
    #expect(unasked.errors.contains("nobody can be asked before it signs in with mistakes at http://127.0.0.1:"))
    #expect(unasked.errors.contains("hint: run it on a terminal, or give --yes"))
    let session = try TerminalSession(program, ["experiment", "--deviations", "flow.lua"])
    try session.expect("The experiment signs in up to ")
    try session.expect(" times at http://127.0.0.1:")
    try session.expect("Sign in there? [y/n] ")
    session.type("n\n")
    #expect(session.end() == 1, "\(session.screen)")
    #expect(session.screen.contains("nothing was sent"), "\(session.screen)")
    let agreed = try results(program.run("experiment", "--deviations", "flow.lua", "--yes", "--json"))
    #expect(agreed.provider.hasPrefix("http://127.0.0.1:"))
    #expect(agreed["wrong_verifier"]?.outcome == "refused", "\(agreed)")
    let files = FileManager.default.enumerator(atPath: program.folder.path)?.compactMap { $0 as? String } ?? []
    #expect(files.filter { $0.hasSuffix("accounts.sqlite") } == [])
  }

  @Test("a flow that fails, another provider and too many sign-ins end the experiment")
  func flows() throws {
    let tenant = try RunningTenant()
    let program = try Program()
    try program.write("fails.lua", Self.signIn("prompt = 'none'"))
    let fails = try program.run("--local", "experiment", "--deviations", "fails.lua")
    #expect(fails.status == 1 && fails.output == "", "\(fails)")
    #expect(fails.errors.contains("the sign-in fails without a mistake, too: AADB2C90077"), "\(fails)")
    try program.write("often.lua", "for i = 1, 6 do \(Self.signIn()) end")
    let often = try program.run("--local", "experiment", "--deviations", "often.lua")
    #expect(often.errors.contains("the script signs in 6 times"), "\(often)")
    // The settings of the run name no server of the running tenant.
    try tenant.program.write(
      "elsewhere.lua",
      """
      local b2c = require "b2c"
      b2c.accounts.sign_in {
        settings = b2c.settings.with {
          authority = b2c.settings.authority:gsub("127.0.0.1", "localhost"), authURL = "", tokenURL = "",
          loginURL = "", logoutURL = "", taskAPI = "",
        },
        agent = "headless", username = "alice", password = "Wonderland-1",
      }
      """)
    let elsewhere = try tenant.program.run("-A", "experiment", "--deviations", "elsewhere.lua", "--yes")
    #expect(elsewhere.status == 1, "\(elsewhere)")
    #expect(elsewhere.errors.contains("signed in at another provider than"), "\(elsewhere)")
  }

  @Test("the page names each deviation with its rule and opens its run, without secrets")
  func page() throws {
    let program = try Program()
    try program.write("full.lua", Self.fullFlow)
    let result = try program.run("--local", "experiment", "--deviations", "full.lua", "--report", "page.html")
    #expect(result.status == 0, "\(result)")
    let page = try String(contentsOf: program.folder.appending(path: "page.html"), encoding: .utf8)
    for words in [
      "<td data-name=\"deviation\">a client assertion with alg none</td>",
      "must: the signature of an assertion is checked",
      "<a href=\"#run-2\">2</a>", "id=\"run-2\"", "this program refuses 2",
    ] {
      #expect(page.contains(words), "\(words)")
    }
    #expect(!page.contains("Wonderland-1"))
    // A signed token would have three parts.
    #expect(!page.contains(#/eyJ[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{20,}/#))
  }
}
