import Automation
import HostLoop
import LocalTenant
import ScriptHost
import Testing

/// Renewals after the end of their run.
@HostActor @Suite("Work that outlives its run")
struct RunEndTests {
  @Test("the tokens of an account are renewed after the end of the run that signed it in")
  func renewal() async throws {
    let tenant = try LocalTenant(TenantConfiguration())
    defer { tenant.stop() }
    let tokens = try await tokens(tenant, "")
    let first = try await tokens.token()
    #expect(try await tokens.token(afterRejected: first) != first)
  }

  @Test("a handler of the run is not called after its end")
  func handler() async throws {
    let tenant = try LocalTenant(TenantConfiguration())
    defer { tenant.stop() }
    let tokens = try await tokens(tenant, "b2c.accounts.on_changed(error)")
    let first = try await tokens.token()
    let error = await #expect(throws: (any Error).self) { try await tokens.token(afterRejected: first) }
    #expect("\(error as Any)".contains("the run has ended"))
  }

  /// The tokens of an account whose run has ended.
  private func tokens(_ tenant: LocalTenant, _ source: String) async throws -> AccountTokens {
    let host = try TestHost(tenant: tenant)
    try await host.run("b2c.tenant.sign_in() \(source)")
    let accounts = host.host.session.accounts
    let account = try #require(try await accounts.current())
    let tokens = try accounts.tokens(of: account)
    host.host.close()
    return tokens
  }
}
