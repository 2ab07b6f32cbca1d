import HostLoop
import LuaBindings

extension Invocation {
  /// `b2c-run tenant`: serves until it is interrupted.
  @HostActor
  func runTenant(_ console: Console) async throws {
    throw UsageError("tenant: comes with the next commit")
  }
}
