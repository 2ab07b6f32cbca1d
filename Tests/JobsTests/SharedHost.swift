import Databases
import HostLoop
import JSON
import JobConditions
import Schedule
import Testing

@testable import Jobs

/// A host that plans as one of several machines. Its turns come by hand, and its runs go on until the next start.
@HostActor
final class SharedHost {
  let store: JobStore
  /// The runs that began, in order.
  var starts: [RunRecord] { launcher.runs }
  private(set) var messages: [String] = []
  private(set) var host: JobHost
  /// The right to plan, after the start.
  private(set) var lease: Lease?
  private let launcher = Launcher()

  init(_ store: JobStore) throws {
    self.store = store
    var options = JobHost.Options(zone: try Zone("UTC"))
    options.machine = "north"
    options.isAlive = false
    host = JobHost(store: store, launcher: launcher, clock: MachineClock(), options: options)
  }

  /// Begins, or ends at once and begins again, with these jobs.
  func start(_ definitions: [JobDefinition]) async throws {
    host = JobHost(store: store, launcher: launcher, clock: MachineClock(), options: host.options)
    host.watch { [weak self] in if case .message(_, let text) = $0 { self?.messages.append(text) } }
    try await store.statements.execute("UPDATE lease SET until = 0")
    let lease = try #require(try await store.takeLease("north/1", seconds: 30))
    self.lease = lease
    host.plan(by: .lease(lease, seconds: 30), definitions, handedOver: nil)
    await host.turn()
  }

  func perform<Result>(_ body: @escaping @HostActor (inout Turn) async throws -> Result) async throws -> Result {
    try await host.performNow(body)
  }

  private final class Launcher: RunLauncher {
    var runs: [RunRecord] = []

    func launch(_ run: RunRecord, of job: JobRecord, context: JSON) -> any RunProcess {
      runs.append(run)
      return EndlessProcess()
    }

    func adopt(_ process: ProcessIdentity, of run: Int64) -> (any RunProcess)? { nil }
  }

  private final class EndlessProcess: RunProcess {
    let identity = ProcessIdentity(id: 0, boot: "", start: 0)
    func go() {}
    func reply(_ reply: RunReply) {}
    func stop(kill: Bool) {}
  }
}
