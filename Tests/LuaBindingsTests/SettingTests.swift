import HostLoop
import LocalTenant
import Lua
import Testing

/// Settings given with --set, as scripts come to feel them.
@HostActor @Suite("Settings given with --set")
struct SettingTests {
  private static let signIn = """
    b2c.accounts.sign_in { agent = "headless", username = "alice", password = "Wonderland-1" }
    """

  @Test(
    "new tasks are written as contentType says", arguments: ["application/json", "application/x-www-form-urlencoded"])
  func contentType(type: String) async throws {
    let tenant = try LocalTenant(TenantConfiguration())
    defer { tenant.stop() }
    try await TestHost(tenant: tenant, settings: [("contentType", type)]).run(
      """
      \(Self.signIn)
      assert(b2c.settings.contentType == "\(type)")
      assert(b2c.tasks.add({ text = "Buy milk & bread", Completed = true }).completed)
      assert(b2c.tasks.list()[1].text == "Buy milk & bread")
      """)
  }

  @Test("a content type the server does not take is named")
  func refusedContentType() async throws {
    let tenant = try LocalTenant(TenantConfiguration())
    defer { tenant.stop() }
    let error = try await TestHost(tenant: tenant, settings: [("contentType", "multipart/form-data")])
      .error("\(Self.signIn)\nb2c.tasks.add(\"Buy milk\")")
    #expect(error.code == "unsupported_media_type")
    #expect(error.hint == "contentType in the settings is multipart/form-data, set another")
  }

  @Test("another tasksPath")
  func tasksPath() async throws {
    let tenant = try LocalTenant(TenantConfiguration())
    defer { tenant.stop() }
    let error = try await TestHost(tenant: tenant, settings: [("tasksPath", "/elsewhere")])
      .error("\(Self.signIn)\nb2c.tasks.list()")
    #expect(error.code == "not_found")
    #expect(error.hint == "see taskAPI and tasksPath in the settings")
  }
}
