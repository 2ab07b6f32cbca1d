import HostLoop
import LocalTenant
import Lua
import LuaKit
import Testing

/// Accounts that outlive the run that signed them in.
@HostActor @Suite("Accounts of an earlier run")
struct StoreTests {
  @Test("a later run goes on with the account, its data and its token")
  func laterRun() async throws {
    let folder = try TemporaryFolder()
    let tenant = try LocalTenant(TenantConfiguration())
    defer { tenant.stop() }
    func run(_ source: String) async throws {
      try await TestHost(tenant: tenant, store: "\(folder.path)/store").run(source)
    }
    try await run(
      """
      local account = b2c.accounts.sign_in { agent = "headless", username = "alice", password = "Wonderland-1" }
      account.data.color = "blue"
      account:save()
      b2c.tasks.add("from the first run")
      """)
    // The first call of the run is one that needs the account.
    try await run(#"assert(b2c.tasks.list()[1].text == "from the first run")"#)
    try await run(#"assert(b2c.http.get(b2c.tenant.url .. "/api/tasks").json()[1].Text == "from the first run")"#)
    try await run(
      """
      local account = b2c.accounts.current()
      assert(account.name == "Alice Liddell" and account.data.color == "blue" and account.claims.sub)
      assert(b2c.accounts.find { name = "Alice Liddell" } == account)
      b2c.tenant.advance(3700)
      assert(#b2c.tasks.list() == 1)
      b2c.accounts.sign_out(account)
      """)
    try await run("assert(b2c.accounts.current() == nil and #b2c.accounts.all() == 0)")
  }

  @Test("a later run renews tokens by the flow that the account remembers, or names the flow that is missing")
  func flowThatRefreshes() async throws {
    let folder = try TemporaryFolder()
    let tenant = try LocalTenant(TenantConfiguration())
    defer { tenant.stop() }
    func host() throws -> TestHost { try TestHost(tenant: tenant, store: "\(folder.path)/store") }
    let flow = """
      calls = 0
      b2c.accounts.add_flow("own", {
        sign_in = function(ctx)
          return b2c.oauth.token {
            grant_type = "password", policy = "ropc", username = "alice", password = "Wonderland-1",
            scopes = { b2c.settings.clientID },
          }
        end,
        refresh = function(ctx)
          calls = calls + 1
          assert(ctx.options.subject == "alice" and ctx.options.refresh_token == nil)
          return b2c.oauth.token {
            grant_type = "password", policy = "ropc", username = "alice", password = "Wonderland-1",
            scopes = { b2c.settings.clientID },
          }
        end,
      })
      """
    try await host().run(
      flow + "\nb2c.accounts.sign_in { flow = 'own', policy = 'ropc', subject = 'alice', agent = 'headless' }")
    let error = try await host().error("b2c.accounts.current():refresh()")
    #expect(error.code == "unknown_flow")
    #expect(error.message.contains("by the flow 'own', which this run does not have"))
    try await host().run(
      flow + """

        local account = b2c.accounts.current()
        assert(account.name == "alice" and not account.proven)
        local before = account:token():reveal()
        assert(account:refresh():reveal() ~= before and calls == 1)
        assert(#b2c.tasks.list() == 0)
        """)
    // A function without a name is gone with its run, and its place is told.
    try await host().run(
      """
      local function get()
        return b2c.oauth.token {
          grant_type = "password", policy = "ropc", username = "alice", password = "Wonderland-1",
          scopes = { b2c.settings.clientID },
        }
      end
      b2c.accounts.sign_in { flow = { sign_in = get, refresh = get }, policy = 'ropc', subject = 'alice' }
      """)
    let gone = try await host().error("b2c.accounts.current():refresh()")
    #expect(gone.code == "unknown_flow")
    #expect(gone.message.contains("by the function at test.lua:1, which only the run of its sign-in has"), "\(gone)")
  }

  @Test("a later run makes proofs with the key of the sign-in, for calls and for refreshes")
  func proofKey() async throws {
    let folder = try TemporaryFolder()
    let tenant = try LocalTenant(TenantConfiguration())
    defer { tenant.stop() }
    func run(_ source: String) async throws {
      try await TestHost(tenant: tenant, store: "\(folder.path)/store").run(source)
    }
    try await run(
      """
      b2c.tenant.require { "dpop", "dpop_nonce" }
      b2c.accounts.sign_in { dpop = true, agent = "headless", username = "alice", password = "Wonderland-1" }
      b2c.tasks.add("from the first run")
      """)
    try await run(#"assert(b2c.tasks.list()[1].text == "from the first run")"#)
    try await run(
      """
      local account = b2c.accounts.current()
      local function jkt() return select(2, b2c.oauth.decode(account:token())).cnf.jkt end
      local before = jkt()
      account:refresh()
      assert(jkt() == before and account:token_type() == "DPoP" and #b2c.tasks.list() == 1)
      """)
  }

  @Test("a refresh in a later run names the resource of the sign-in")
  func resource() async throws {
    let folder = try TemporaryFolder()
    let tenant = try LocalTenant(TenantConfiguration())
    defer { tenant.stop() }
    func run(_ source: String) async throws {
      try await TestHost(tenant: tenant, store: "\(folder.path)/store").run(source)
    }
    // The grant is for both names of the API, and the account's tokens for one of them.
    try await run(
      """
      local api = "https://contoso.onmicrosoft.com/tasks"
      b2c.accounts.sign_in {
        agent = "headless", username = "alice", password = "Wonderland-1",
        resource = { api, b2c.tenant.url .. "/api/tasks" }, scopes = { "openid", "offline_access", api .. "/read" },
        flow = function(ctx)
          return b2c.oauth.flow "authorization_code"(ctx, { before_token = function(request) request.resource = api end })
        end,
      }
      """)
    try await run(
      """
      local account = b2c.accounts.current()
      account:refresh()
      local _, claims = b2c.oauth.decode(account:token())
      assert(claims.aud == "https://contoso.onmicrosoft.com/tasks", b2c.json.encode(claims))
      """)
  }
}
