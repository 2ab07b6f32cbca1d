import Automation
import CommandLine
import Commands
import Core
import Glibc
import HTTPClient
import HostLoop
import LocalTenant
import Lua
import REPL
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
    HTTPClient.tape?.place = { [events = host.session.events] in events.currentPlace() }
    offerDebugger(host, console)
    defer { host.watching.onDebug = nil }
    do { try await profiled(host, console) { try await body(host) } } catch let error as any Failure
      where error.hint?.contains(Settings.placeWords) == true
    {
      // The parts of the host that give hints do not know where the settings come from.
      guard let settings = try? host.session.settings() else { throw error }
      var located = LuaError(error)
      located.hint = located.hint.map(settings.located)
      throw located
    }
    return host.failedRows > 0 ? .failedRows : .done
  }

  /// Has `b2c.debug()` open a session where there is a terminal.
  @HostActor
  private func offerDebugger(_ host: ScriptHost, _ console: Console) {
    guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else { return }
    host.watching.onDebug = { [weak host] call in
      guard let host else { return }
      let session = REPL.Session(host, console: console, timeout: nil, stopSignal: Interrupts.stopSignal)
      let debugger = TerminalDebugger(session, in: host.state)
      host.watching.onDebug = { try await debugger.open(at: $0.coroutine, takingInterruptsOf: session) }
      try await host.watching.onDebug?(call)
    }
  }
}

extension TerminalDebugger {
  /// Opens the session, which takes Ctrl-C meanwhile.
  fileprivate func open(at call: Int, takingInterruptsOf session: REPL.Session) async throws {
    Interrupts.handOver { hasStopped in
      HostActor.task {
        await session.interrupt()
        hasStopped()
      }
    }
    defer { Interrupts.handOver(nil) }
    try await self.open(at: call)
  }
}
