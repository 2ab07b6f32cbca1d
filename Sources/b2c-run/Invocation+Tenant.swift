import HTTPServer
import HostLoop
import LocalTenant
import Lua
import LuaBindings

extension Invocation {
  /// `b2c-run tenant`: serves until it is interrupted.
  @HostActor
  func runTenant(_ console: Console) async throws {
    var configuration = TenantConfiguration(
      port: tenant.port, dataFile: tenant.data, issuerForm: tenant.usesGUIDIssuer ? .guid : .metadata)
    var certificate: TenantCertificate?
    if tenant.usesTLS {
      let kept = try TenantCertificate.find()
      configuration.tls = kept.identity
      certificate = kept
    }
    configuration.onMessage = { message in
      // The tenant's threads must not wait for the terminal.
      HostActor.task { console.log(.info, message.text) }
    }
    let tenant = try LocalTenant(configuration)
    defer { tenant.stop() }
    // The settings alone go to standard output: b2c-run tenant > settings.plist
    console.write(tenant.banner(certificate: certificate?.path))
    StandardOutput.write(tenant.settingsFile)
    StandardOutput.flush()
    console.log(.info, "serving; Ctrl-C ends it")
    while true { try await HostLoop.shared.sleep(seconds: 3600) }
  }
}
