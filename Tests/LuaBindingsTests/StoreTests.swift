import HostLoop
import LocalTenant
import LuaBindings
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
}
