import Core
import DatabaseAddress
import Databases
import HTTPClient
import HostLoop
import ImportEngine
import JSON
import TaskAPI
import TestSupport

@testable import SharedImport

/// A database for imports of several machines, and machines that work on them.
@HostActor
final class SharedGround {
  let server: PostgresServer
  let database: String
  /// The statements of the tests themselves.
  let imports: SharedImports
  private var connections: [PostgresDatabase] = []

  init(_ server: PostgresServer? = nil) async throws {
    self.server = try server ?? PostgresServer.shared
    database = try self.server.makeDatabase()
    imports = SharedImports(PostgresDatabase(try PostgresAddress(self.server.address(database))))
    try await imports.prepare()
  }

  /// The imports by a connection of their own, as another machine has it.
  func machine() throws -> SharedImports {
    let database = PostgresDatabase(try PostgresAddress(server.address(database)))
    connections.append(database)
    return SharedImports(database)
  }

  func open(_ identity: ImportIdentity = TaskSink.identity, rate: Double? = nil) async throws -> SharedImport {
    try await imports.open(identity, place: [:], options: [:], rate: rate)
  }

  /// The machines of the tests live long, and are quick to take over from those that died.
  static let times = SharedTimes(lease: 180, grace: 0.1, beat: 0.2, observation: 0.3)

  func run(
    _ sink: TaskSink, named machine: String = "one", boot: String = "boot", times: SharedTimes = times,
    _ change: (inout ImportOptions) -> Void = { _ in }
  ) async throws -> SharedRun {
    let client = try TaskAPIClient(http: HTTPClient(), tokens: FixedToken(), baseURL: "http://\(sink.authority)")
    var options = ImportOptions()
    options.concurrency = 4...4
    options.retries = 3
    options.delays.first = 0.001
    options.delays.longest = 0.01
    options.delays.settling = 0
    change(&options)
    return SharedRun(
      try self.machine(), try await open(rate: options.rate), service: client, options: options, events: Events(),
      worker: WorkerIdentity(machine: machine, process: 1, boot: boot, version: "test"), times: times)
  }

  /// A worker that has claimed blocks and died.
  func deadWorker(_ id: String, claiming count: Int, honorsKey: Bool) async throws -> [HeldBlock] {
    let worker = WorkerIdentity(machine: "dead", process: 2, boot: "boot", version: "test")
    _ = try await imports.register(worker, on: id, seconds: 0, now: 0)
    return try await imports.claim(count, id, worker: worker.id, honorsKey: honorsKey)
  }

  /// Plans a source, and sends nothing.
  func plan(_ texts: [String], _ record: SharedImport, baseline: Int? = 0) async throws {
    let lease = try await Lease.take(
      SharedImports.plannerLease(record.id), owner: "test", seconds: 60, in: imports.database)
    guard let lease else { return }
    if let baseline { try await imports.setBaseline(record.id, total: baseline, counts: [:]) }
    let planner = BlockPlanner(
      PatientImports(imports, record.id, DatabasePatience("test")), record, TextSource(texts), lease, Dedupe(field: nil)
    )
    try await planner.run()
    try await lease.release(in: imports.database)
  }

  /// A number that the database has.
  func number(_ sql: String) async throws -> Int { Int(try await imports.database.first(sql)?[0].integer ?? 0) }

  func sentence(_ body: @HostActor () async throws -> some Sendable) async -> String {
    do {
      _ = try await body()
      return "no error"
    } catch { return (error as? any Failure)?.message ?? "\(error)" }
  }
}
