import Accounts
import DatabaseAddress
import Databases
import Glibc
import HostLoop
import TestSupport

/// The engines that the contract of account stores holds for.
enum Engine: String, CaseIterable {
  case sqlite
  case postgresql
}

/// A place for the stores of a test. Stores of one place stand for processes: they share nothing but the files or the
/// database.
@HostActor
final class StorePlace {
  let folder = TemporaryFolder()
  let location: AccountStore.Location
  /// The name of the database on the server; empty with SQLite.
  let database: String

  init(_ engine: Engine) throws {
    switch engine {
    case .sqlite:
      database = ""
      location = .folder(folder.path("store"))
    case .postgresql:
      let server = try PostgresServer.shared
      database = try server.makeDatabase()
      location = .database(try PostgresAddress(server.address(database)))
    }
  }

  /// Opens a store as a process of that machine. The machines of a database have files of their own.
  func open(
    group: String = AccountStore.defaultGroup, machine: String = "one",
    now: @escaping @Sendable () -> Int64 = { Int64(time(nil)) }
  ) async throws(AccountError) -> AccountStore {
    let state = folder.path(machine)
    return try await AccountStore(
      location, group: group, variable: { $0 == "XDG_STATE_HOME" ? state : nil }, now: now)
  }

  /// Runs a statement behind the back of the stores. Returns the values of the first column, as text.
  @discardableResult
  func sql(_ text: String) throws -> [String] {
    if case .folder(let folder) = location {
      return try SQLiteConnection(path: "\(folder)/accounts.sqlite").query(text).compactMap { $0[0].text }
    }
    return try PostgresServer.shared.sql(text, in: database).split(separator: "\n").map(String.init)
  }
}

/// The results of a call that waits, one after the other.
@HostActor
func times<Value>(_ count: Int, _ body: @HostActor () async throws -> Value) async throws -> [Value] {
  var values: [Value] = []
  for _ in 0..<count { values.append(try await body()) }
  return values
}
