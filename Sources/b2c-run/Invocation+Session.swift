import Automation
import HostLoop
import LocalTenant
import Lua
import LuaBindings
import REPL

extension Invocation {
  /// Lua line by line, on a terminal.
  @HostActor
  func runSession(_ console: Console) async throws -> ExitStatus {
    _ = try await withHost(console) { host in
      if !isQuiet { greet(host, console) }
      let session = Session(host, console: console, timeout: timeout, stopSignal: Interrupts.stopSignal)
      Interrupts.handOver { hasStopped in
        HostActor.task {
          await session.interrupt()
          hasStopped()
        }
      }
      defer { Interrupts.handOver(nil) }
      try await session.run()
    }
    return .done
  }

  @HostActor
  private func greet(_ host: ScriptHost, _ console: Console) {
    console.write("b2c-run \(Version.text), Lua \(LuaState.version). help() explains; Ctrl-D ends.")
    guard let url = host.automation.tenant?.url else { return }
    let users = LocalTenant.seededUsers.map(\.username).joined(separator: " and ")
    console.write("Local tenant at \(url), with the users \(users):\ntenant.sign_in() signs the first one in.")
  }
}
