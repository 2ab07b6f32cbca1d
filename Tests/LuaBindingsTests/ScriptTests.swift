import FoundationEssentials
import HostLoop
import LocalTenant
import Lua
import ScriptHost
import TenantMCP
import Testing

/// Each module is tested in Lua, by a script in Scripts/ that asserts. It runs with a local tenant; `args.echo` is the
/// address of an `EchoServer`, `args.console` the file that stands for standard error, and `args.imports` the folder of the
/// journals.
@HostActor @Suite("Modules, tested in Lua")
struct ScriptTests {
  nonisolated static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Scripts").path

  nonisolated static let scripts = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
    .filter { $0.hasSuffix("_test.lua") }.sorted()

  /// Settings of single scripts: backchannel authentication needs an application with a secret.
  nonisolated private static let settings: [String: [(key: String, value: String)]] = [
    "oauth_backchannel_test.lua": [
      ("clientID", LocalTenant.webApplication.id), ("clientSecret", LocalTenant.webApplication.secret ?? ""),
    ]
  ]

  @Test(arguments: scripts)
  func script(name: String) async throws {
    let echo = try EchoServer()
    defer { echo.stop() }
    let folder = try TemporaryFolder()
    var configuration = TenantConfiguration()
    let server = name.hasPrefix("mcp") ? TenantMCP(in: &configuration) : nil
    let tenant = try LocalTenant(configuration)
    defer { tenant.stop() }
    server?.begin(before: tenant)
    try await TestHost(
      tenant: tenant, settings: Self.settings[name] ?? [], console: folder.console, imports: folder.importsPath
    ).run(
      path: "\(Self.folder)/\(name)",
      arguments: ["--echo=\(echo.url)", "--console=\(folder.consolePath)", "--imports=\(folder.importsPath)"])
  }

  /// A script is named after its module, and after its topic where a module has more than one: `oauth_redirect_test.lua`.
  @Test("every module has a test in Lua")
  func coverage() async throws {
    let tested = Set(Self.scripts.map { String($0.prefix { $0 != "_" }) })
    #expect(try TestHost().host.modules.map(\.name).filter { !tested.contains($0) } == [])
  }

  @Test("without a local tenant, b2c.tenant says what is missing")
  func noTenant() async throws {
    for use in [
      "tenant.url", "tenant.users.add", "tenant.users.remove", "tenant.fault", "tenant.advance", "tenant.rotate_keys",
      "tenant.requests", "tenant.tasks", "tenant.configure", "tenant.otp", "tenant.outbox", "tenant.sign_in",
    ] {
      let arguments = [
        "tenant.url": "", "tenant.users.add": "{ username = 'a', password = 'b' }", "tenant.fault": "{ status = 500 }",
        "tenant.users.remove": "'a'", "tenant.advance": "(1)", "tenant.tasks": "'a'", "tenant.otp": "'a'",
        "tenant.configure": "{}",
      ]
      let error = try await TestHost(tenant: nil).error("local x = b2c.\(use)\(arguments[use] ?? "()")")
      #expect(error.code == "no_tenant")
      #expect(error.message == "\(use): there is no local tenant")
      #expect(error.hint?.hasPrefix("run the script with --local; a run of serve signs in") == true)
    }
  }
}
