import Automation
import CommandLine
import Commands
import Core
import HostLoop
import LocalTenant
import Lua
import ScriptHost
import Settings

extension RunOptions {
  /// Makes a host, and the local tenant if it is wanted, for `body`, and ends both afterwards.
  @HostActor
  func withHost(_ console: Console, _ body: @HostActor (ScriptHost) async throws -> Void) async throws -> ExitStatus {
    var configuration = configuration
    let tenant = try startTenant(console)
    if let certificate = try tenantCertificate {
      configuration.session.caFile = configuration.session.caFile ?? certificate.path
    }
    defer { tenant?.stop() }
    configuration.mayAsk = asksForPermissions
    let host = try ScriptHost(configuration, console: console, tenant: tenant)
    defer { host.close() }
    host.state.obey(signal: Interrupts.stopSignal)
    do { try await body(host) } catch let error as any Failure where error.hint?.contains(Settings.placeWords) == true {
      // The parts of the host that give hints do not know where the settings come from.
      guard let settings = try? host.session.settings() else { throw error }
      var located = LuaError(error)
      located.hint = located.hint.map(settings.located)
      throw located
    }
    return host.failedRows > 0 ? .failedRows : .done
  }
}
