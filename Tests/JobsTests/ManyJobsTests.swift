import DatabaseAddress
import Databases
import HostLoop
import JSON
import JobSimulation
import Schedule
import TestSupport
import Testing

@testable import Jobs

/// Hundreds of jobs, and a database that is far away: each statement is a way there and back.
@HostActor
@Suite struct ManyJobsTests {
  private final class CountedStatements: Statements {
    let dialect: Dialect
    private let inner: any Statements
    private let count: @HostActor () -> Void

    init(_ inner: any Statements, _ count: @escaping @HostActor () -> Void) {
      self.inner = inner
      self.count = count
      dialect = inner.dialect
    }

    func run(_ sql: String, _ values: [SQLValue]) async throws -> SQLResult {
      count()
      return try await inner.run(sql, values)
    }
  }

  private final class CountedDatabase: Database {
    let dialect: Dialect
    let place: String
    private let inner: any Database
    var statements = 0

    init(_ inner: any Database) {
      self.inner = inner
      (dialect, place) = (inner.dialect, inner.place)
    }

    func run(_ sql: String, _ values: [SQLValue]) async throws -> SQLResult {
      statements += 1
      return try await inner.run(sql, values)
    }
    func runScript(_ sql: String) async throws { try await inner.runScript(sql) }
    func transaction<Result: Sendable>(
      _ body: @HostActor (any Statements) async throws -> Result
    ) async throws -> Result {
      try await inner.transaction { try await body(CountedStatements($0) { self.statements += 1 }) }
    }
    func close() async { await inner.close() }
  }

  private func database() async throws -> (store: JobStore, address: PostgresAddress) {
    let server = try PostgresServer.shared
    let address = try PostgresAddress(server.address(try server.makeDatabase()))
    return (try await JobStore.open(PostgresDatabase(address), seal: Engine.seal), address)
  }

  @Test func theStatementsOfALoadDoNotGrowWithTheJobs() async throws {
    let counted = CountedDatabase(PostgresDatabase(try await database().address))
    let jobs = try SimulatedJobs(
      from: 1_800_000_000_000, options: JobHost.Options(zone: try Zone("UTC")),
      store: JobStore(counted, seal: Engine.seal)
    ) { _ in .init() }
    let definitions = (1...300).map {
      JobDefinition(
        name: "job-\($0)", path: "/jobs/job-\($0).lua", digest: "1",
        declaration: ["on": [["every": "1h"], ["cron": "0 7 * * *"]]])
    }
    try await jobs.load(definitions)
    #expect(counted.statements < 40)
    #expect(try await jobs.store.jobs().count == 300)
    #expect(try await jobs.store.triggers().count == 300)
    counted.statements = 0
    try await jobs.crash(downFor: 1000)
    #expect(counted.statements < 20)
    // Each is there once, with its own due times.
    try await jobs.advance(by: 3_600_000)
    #expect(Set(try await jobs.store.runs(.init()).map(\.state)) == [.ok])
    #expect(try await jobs.store.histories().count == 300)
  }

  @Test func aTurnThatTakesLongKeepsNobodyFromTheRightToPlan() async throws {
    let (store, address) = try await database()
    let other = try await JobStore.open(PostgresDatabase(address), seal: Engine.seal)
    try await other.statements.execute("SET lock_timeout = '5s'")
    let host = try SharedHost(store)
    try await host.start([])
    let lease = try #require(host.lease)
    try await host.perform { _ in
      // The machine says meanwhile that it is alive.
      let isKept = try await other.keep(lease, seconds: 1)
      #expect(isKept)
    }
    // The turn has renewed it.
    let sight = try await other.sight()
    #expect(sight.until - sight.now > 20)
    // Another machine takes over in the middle of a turn, which stores nothing.
    await #expect(throws: (any Error).self) {
      try await host.perform { turn in
        try await turn.store.save(JobRecord(name: "late", path: "p", created: 1))
        try await other.statements.execute("UPDATE lease SET until = 0")
        _ = try await other.takeLease("south/1", seconds: 30)
      }
    }
    #expect(try await other.jobs().isEmpty)
    #expect(!host.host.isPlanning)
  }
}
