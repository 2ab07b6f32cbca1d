import CommandLineSupport
import Foundation
import HTTPServer
import JSON
import Testing

@Suite("b2c-run doctor")
struct DoctorCommandTests {
  /// The result of a check, with its name.
  private struct Check: Decodable {
    var name: String
    var status: String
    var message: String
    var hint: String?
  }

  private func checks(_ program: Program, _ arguments: String...) throws -> (Program.Result, [String: Check]) {
    let result = try program.run(list: arguments + ["doctor", "--json"])
    let list = try JSONDecoder().decode([Check].self, from: Data(result.output.utf8))
    return (result, Dictionary(list.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first }))
  }

  @Test("offers of the provider, with what uses them")
  func offers() throws {
    let provider = try ScriptedProvider(metadata: [
      "pushed_authorization_request_endpoint": "https://login.example/par", "introspection_endpoint": .null,
      "device_authorization_endpoint": "https://login.example/device",
      "dpop_signing_alg_values_supported": ["ES256", "\u{1B}[31mred"],
      "grant_types_supported": ["authorization_code", "urn:ietf:params:oauth:grant-type:token-exchange"],
    ])
    let program = try Program()
    try program.write("settings.plist", provider.settings)
    let lines = try program.run("doctor").output.split(separator: "\n").map(String.init)
    for (offer, use) in [
      ("pushed authorization requests (RFC 9126)", "accounts.sign_in { par = true }"),
      ("device authorization (RFC 8628)", "accounts.sign_in { flow = \"device_code\" }"),
      ("token exchange (RFC 8693)", "oauth.exchange"),
    ] {
      let index = try #require(lines.firstIndex(of: "ok      offers       \(offer)"), "\(lines)")
      #expect(lines[index + 1].hasSuffix("-> \(use)"), "\(lines)")
    }
    #expect(lines.contains("ok      offers       DPoP proofs (RFC 9449): ES256, ␛[31mred"), "\(lines)")
    #expect(lines.contains("ok      offers       token exchange (RFC 8693)"))
    #expect(!lines.contains { $0.contains("introspection") })
    // No sign-in was tried to find out which options there are.
    #expect(!lines.contains { $0.contains("unknown option") })
  }

  @Test("sign-ins that the metadata show to fail are warnings")
  func wouldFail() throws {
    let provider = try ScriptedProvider(metadata: [
      "code_challenge_methods_supported": ["plain"], "response_types_supported": ["id_token"],
      "grant_types_supported": ["client_credentials"], "token_endpoint_auth_methods_supported": ["private_key_jwt"],
      "require_signed_request_object": true,
      "mtls_endpoint_aliases": ["token_endpoint": "http://mtls.example/token"],
    ])
    let program = try Program()
    try program.write("settings.plist", provider.settings)
    let result = try program.run(
      "--set", "scopes=openid offline_access", "--set", "clientAuthentication=client_secret_post", "doctor")
    let warnings = result.output.split(separator: "\n").filter { $0.hasPrefix("warning offers       ") }
      .map { String($0.dropFirst("warning offers       ".count)) }
    #expect(
      warnings == [
        "the provider refuses authorization requests that are not signed",
        "the provider does not list the PKCE method S256, which the stock flows use: plain",
        "the provider does not list the response type code: the flow authorization_code would fail",
        "the provider does not list the grant authorization_code: client_credentials",
        "the provider does not list the grant refresh_token: people sign in again when the access token expires",
        "the setting clientAuthentication is client_secret_post, and the provider lists private_key_jwt",
        "the alias for client certificates of token_endpoint is not an https address: http://mtls.example/token",
      ], "\(result)")
  }

  @Test("metadata with members of other types are no failure of doctor")
  func oddMetadata() throws {
    let provider = try ScriptedProvider(metadata: [
      "grant_types_supported": "authorization_code", "code_challenge_methods_supported": [["S256"], 7],
      "mtls_endpoint_aliases": "none", "dpop_signing_alg_values_supported": ["a": 1], "introspection_endpoint": 7,
    ])
    let program = try Program()
    try program.write("settings.plist", provider.settings)
    let result = try program.run("doctor")
    #expect(result.output.contains("offers       token introspection (RFC 7662)"), "\(result)")
    #expect(!result.errors.contains("offers.lua"), "\(result)")
  }

  @Test("a provider that shows its page for prompt=none, as django-oauth-toolkit fails at it, is no failure")
  func noSilentAnswer() throws {
    for status in [200, 500] {
      let provider = try ScriptedProvider(.none, silentStatus: status)
      let program = try Program()
      try program.write("settings.plist", provider.settings)
      let application = try #require(try checks(program).1["application"])
      #expect(application.status == "warning", "\(application)")
      #expect(
        application.message.hasPrefix(
          "the provider shows its sign-in page; whether it knows app cannot be asked without one: "),
        "\(application)")
    }
    let refusing = try ScriptedProvider(.none, silentStatus: 400, pageStatus: 400)
    let program = try Program()
    try program.write("settings.plist", refusing.settings)
    #expect(try checks(program).1["application"]?.status == "failed")
  }

  @Test("a certificate nobody vouches for")
  func certificate() throws {
    let provider = try ScriptedProvider(tls: .selfSigned())
    let program = try Program()
    try program.write("settings.plist", provider.settings)
    let metadata = try #require(try checks(program).1["metadata"])
    #expect(metadata.status == "failed")
    #expect(metadata.message.contains("certificate"), "\(metadata)")
    #expect(metadata.hint?.contains("--cacert") == true, "\(metadata)")
  }

  @Test(
    "a clock that is wrong",
    arguments: [
      (1800.0, "failed", "30 min behind"), (-1800, "failed", "30 min ahead of"), (120, "warning", "2 min behind"),
    ])
  func clock(ahead: Double, status: String, words: String) throws {
    let provider = try ScriptedProvider(clockAhead: ahead)
    let program = try Program()
    try program.write("settings.plist", provider.settings)
    let clock = try #require(try checks(program).1["clock"])
    #expect(clock.status == status)
    #expect(clock.message == "this machine's clock is \(words) the provider's")
    #expect(clock.hint == "set it right, for example with systemd-timesyncd")
  }
}
