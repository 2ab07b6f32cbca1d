import HostLoop
import LocalTenant
import Lua
import Testing

/// An account belongs to the provider of its sign-in, even if a later run has other settings.
@HostActor @Suite("Accounts of another provider")
struct ProviderTests {
  static let signIn = #"b2c.accounts.sign_in { agent = "headless", username = "alice", password = "Wonderland-1" }"#

  /// `keychain` does not separate these runs, because `LocalTenant`'s settings name the same keychain.
  @Test("a token goes to no other provider's task API, and to no script of a run with other settings")
  func taskAPI() async throws {
    let folder = try TemporaryFolder()
    let tenants = try (0..<2).map { _ in try LocalTenant(TenantConfiguration()) }
    defer { for tenant in tenants { tenant.stop() } }
    let store = "\(folder.path)/store"
    try await TestHost(tenant: tenants[0], store: store).run(Self.signIn)

    let error = try await TestHost(tenant: tenants[1], store: store).error("b2c.tasks.list()")
    func place(_ tenant: LocalTenant) -> String {
      "\(tenant.url)/contoso.onmicrosoft.com/b2c_1_susi as 9c5a6f0e-4d1b-4f7a-a3c2-51e8d7b6f093"
    }
    let obstacle =
      "Alice Liddell signed in at \(place(tenants[0])), and the settings of this run are for \(place(tenants[1]))"
    #expect(error.code == "no_account")
    #expect(error.message == "tasks.list: nobody is signed in with these settings: \(obstacle)")
    #expect(
      error.hint
        == "with --local, a script signs in one of the tenant's users: tenant.sign_in(); or name the settings of the "
        + "current account: --settings FILE")
    for (call, code) in [
      ("account:token", "account:token()"), ("account:id_token", "account:id_token()"),
      ("account:refresh", "account:refresh()"), ("account:request", "account:request { url = b2c.tenant.url }"),
      ("http.get", "b2c.http.get(b2c.tenant.url, { account = account })"),
      ("tasks.list", "b2c.tasks.list { account = account }"),
    ] {
      let error = try await TestHost(tenant: tenants[1], store: store)
        .error("local account = b2c.accounts.current() \(code)")
      #expect(error.code == "other_provider", "\(call)")
      #expect(error.message == "\(call): \(obstacle)")
      #expect(error.hint == "name the settings it signed in with, --settings FILE, or sign in again")
    }
    try await TestHost(tenant: tenants[1], store: store).run(
      """
      local url = b2c.tenant.url .. "/api/tasks"
      local answer = b2c.http.get(url, { raise = false })
      assert(answer.status == 401 and not answer.body:find "signed with a key")
      local alice = b2c.accounts.current()
      assert(alice.name == "Alice Liddell" and alice:can_refresh())
      \(Self.signIn)
      assert(#b2c.tasks.list() == 0 and b2c.http.get(url).status == 200)
      -- It still is the other tenant's, which can be asked to end it.
      b2c.accounts.sign_out(alice)
      """)
  }

  @Test("a saved key is for scripts of its provider, in later runs too")
  func savedKey() async throws {
    let folder = try TemporaryFolder()
    let tenants = try (0..<2).map { _ in try LocalTenant(TenantConfiguration()) }
    defer { for tenant in tenants { tenant.stop() } }
    let store = "\(folder.path)/store"
    try await TestHost(tenant: tenants[0], store: store).run(
      """
      local key = b2c.jose.key.generate { alg = "EdDSA", kid = "k-1" }
      b2c.jose.key.save(key, "client")
      assert(b2c.jose.key.load({ stored = "client" }).kid == "k-1")
      """)
    try await TestHost(tenant: tenants[0], store: store).run(
      """
      local key = b2c.jose.key.load { stored = "client" }
      assert(key.kid == "k-1" and key.algorithms[1] == "EdDSA" and #key.algorithms == 1)
      assert(b2c.jose.verify(b2c.jose.sign({ sub = "a" }, key), b2c.jose.key.public(key)).sub == "a")
      """)
    for code in [
      "b2c.jose.key.load { stored = 'client' }", "b2c.jose.key.save(b2c.jose.key.generate {}, 'client')",
      "b2c.jose.key.remove 'client'",
    ] {
      let error = try await TestHost(tenant: tenants[1], store: store).error(code)
      #expect(error.code == "other_provider", "\(code)")
      #expect(error.message.hasPrefix("the saved key 'client' is for \(tenants[0].url)/"), "\(error.message)")
    }
    let unknown = try await TestHost(tenant: tenants[0], store: store).error("b2c.jose.key.load { stored = 'cliemt' }")
    #expect(unknown.code == "no_key")
    #expect(unknown.message == "there is no saved key 'cliemt'")
    #expect(unknown.hint == "did you mean 'client'?")
    try await TestHost(tenant: tenants[0], store: store).run(
      "assert(b2c.jose.key.remove 'client') assert(not b2c.jose.key.remove 'client')")
  }

  @Test("other settings of the same run, with the same task API, give accounts for it")
  func otherApplication() async throws {
    try await TestHost().run(
      """
      local web = b2c.tenant.applications.web
      local account = b2c.accounts.sign_in {
        agent = "headless", username = "alice", password = "Wonderland-1",
        settings = b2c.settings.with { clientID = web.client_id, clientSecret = web.client_secret },
        scopes = { "openid", "https://contoso.onmicrosoft.com/tasks/read" },
      }
      assert(b2c.accounts.current() == account and #b2c.tasks.list() == 0)
      """)
  }

  @Test("the client secret of the sign-in renews the tokens where the settings of a later run have none")
  func clientSecret() async throws {
    let folder = try TemporaryFolder()
    let tenant = try LocalTenant(TenantConfiguration())
    defer { tenant.stop() }
    func host(_ settings: [(key: String, value: String)]) throws -> TestHost {
      try TestHost(tenant: tenant, store: "\(folder.path)/store", settings: settings)
    }
    let web = (key: "clientID", value: "b7d2e8c1-93f4-4a6d-8e05-27c9f1a4d36b")
    try await host([web, ("clientSecret", "local-secret-of-the-web-app")]).run(
      """
      local tasks = "https://contoso.onmicrosoft.com/tasks/"
      b2c.accounts.sign_in { flow = "client_credentials", account_type = "app", scopes = { tasks .. ".default" } }
      b2c.accounts.sign_in {
        agent = "headless", username = "alice", password = "Wonderland-1", account_type = "user",
        scopes = { "openid", "offline_access", tasks .. "read" },
      }
      """)
    try await host([web]).run(
      """
      for _, account in ipairs(b2c.accounts.all()) do assert(account:refresh()) end
      """)
    // One that is given counts.
    let error = try await host([web, ("clientSecret", "another-secret")]).error(
      #"b2c.accounts.find { account_type = "app" }:refresh()"#)
    #expect(error.details["error"] == "invalid_client")
  }
}
