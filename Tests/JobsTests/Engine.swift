import DatabaseAddress
import Databases
import HostLoop
import JobTables
import Jobs
import TestSupport
import Testing

/// The databases that jobs may be kept in.
enum Engine: String, CaseIterable, CustomTestStringConvertible {
  case sqlite, postgresql

  /// The seal of the machines in tests.
  static let seal = JobSeal(key: Array(repeating: 7, count: 32))

  var testDescription: String { rawValue }

  /// A new store.
  @HostActor
  func store() async throws -> JobStore {
    switch self {
    case .sqlite: return try JobStore.inMemory()
    case .postgresql:
      let server = try PostgresServer.shared
      let address = try PostgresAddress(server.address(try server.makeDatabase()))
      return try await JobStore.open(PostgresDatabase(address), seal: Self.seal)
    }
  }
}
