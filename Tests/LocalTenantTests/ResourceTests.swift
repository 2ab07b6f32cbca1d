import Core
import HTTPClient
import HostLoop
import JOSE
import JSON
import LocalTenant
import Testing

/// Resource indicators (RFC 8707).
@HostActor @Suite struct ResourceTests {
  nonisolated private static let name = "https://contoso.onmicrosoft.com/tasks"
  private static let scope = "openid offline_access \(Browser.read)"

  private func audience(_ tokens: JSON) throws -> JSON? {
    try JWT(decoding: tokens["access_token"]?.string ?? "").claims["aud"]
  }

  @Test func theResourceIsTheAudienceAndStaysWithTheGrant() async throws {
    let browser = try Browser.ofSharedTenant()
    let tokens = try await browser.tokens("alice", "Wonderland-1", ["scope": Self.scope, "resource": Self.name])
    #expect(try audience(tokens) == .string(Self.name))
    #expect(tokens["resource"] == .string(Self.name))
    #expect(try await browser.tasks(tokens["access_token"]?.string ?? "").status == 200)
    #expect(try await browser.tasks(tokens["access_token"]?.string ?? "", add: "no").status == 403)
    let refreshed = try await browser.refresh(tokens["refresh_token"]?.string ?? "")
    #expect(try audience(refreshed.body) == .string(Self.name))
    let plain = try await browser.tokens("alice", "Wonderland-1", ["scope": Self.scope])
    #expect(try audience(plain) == "e1f0b3a4-2c77-4b0e-8c19-6d8f0a5b7c21")
  }

  @Test func aRefreshMayNarrowAndNotWiden() async throws {
    let browser = try Browser.ofSharedTenant()
    let address = "\(browser.tenant.url)/api/tasks"
    func begin(_ resources: [String]) async throws -> JSON {
      let fields =
        browser.authorizationFields(["scope": Self.scope, "prompt": "login"]) + resources.map { ("resource", $0) }
      try await browser.get("\(browser.base)/oauth2/v2.0/authorize?" + URLEncodedForm.encode(fields))
      try await browser.submit(["logonIdentifier": "alice", "password": "Wonderland-1"], button: "sign_in")
      return try await browser.redeem(code: browser.redirected["code"] ?? "").body
    }
    func refresh(_ tokens: JSON, _ resource: String) async throws -> JSON {
      try await browser.token([
        ("grant_type", "refresh_token"), ("client_id", browser.clientID),
        ("refresh_token", tokens["refresh_token"]?.string ?? ""), ("resource", resource),
      ]).body
    }
    let both = try await begin([Self.name, address])
    #expect(try audience(both) == [.string(Self.name), .string(address)])
    #expect(try await browser.tasks(both["access_token"]?.string ?? "").status == 200)
    let narrowed = try await refresh(both, address)
    #expect(try audience(narrowed) == .string(address))
    let one = try await begin([address])
    let refusal = try await refresh(one, Self.name)
    #expect(refusal["error"] == "invalid_target")
    #expect(refusal.complaint == "The resource '\(Self.name)' was not granted at the sign-in.")
  }

  @Test(
    arguments: [
      ("https://api.example.com", "The resource 'https://api.example.com' is unknown here. Known are '"),
      ("tasks", "The resource 'tasks' is not an absolute URI without a fragment."),
      ("\(ResourceTests.name)#top", "The resource '\(ResourceTests.name)#top' is not an absolute URI"),
    ])
  func anUnknownResourceIsRefused(resource: String, reason: String) async throws {
    let browser = try Browser.ofSharedTenant()
    try await browser.authorize(["scope": Self.scope, "resource": resource])
    #expect(browser.redirected["error"] == "invalid_target")
    #expect(browser.redirected["error_description"]?.hasPrefix(reason) == true)
  }

  @Test func theScopesMustBeOfTheResource() async throws {
    let browser = try Browser.ofSharedTenant()
    try await browser.authorize(["resource": Self.name])
    #expect(browser.redirected["error"] == "invalid_target")
    #expect(browser.redirected["error_description"]?.hasPrefix("The scope 'openid offline_access") == true)
    // Scopes without an API get a token that permits nothing there.
    let tokens = try await browser.tokens("alice", "Wonderland-1", ["scope": "openid", "resource": Self.name])
    #expect(try audience(tokens) == .string(Self.name))
    #expect(try await browser.tasks(tokens["access_token"]?.string ?? "").status == 403)
    let application = try await browser.signInAsApplication(["resource": Self.name])
    #expect(try audience(application.body) == .string(Self.name))
  }
}
