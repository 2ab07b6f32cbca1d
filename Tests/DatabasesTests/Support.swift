import DatabaseAddress
import Databases
import HostLoop
import TestSupport
import Testing

/// The engines that the contract of databases holds for.
enum Engine: String, CaseIterable, CustomTestStringConvertible {
  case sqlite
  case postgresql

  var testDescription: String { rawValue }
}

/// An empty database, with as many connections to it as a test opens.
@HostActor
final class Scratch {
  private let folder = TemporaryFolder()
  private let engine: Engine
  private let address: String

  init(_ engine: Engine) throws {
    self.engine = engine
    switch engine {
    case .sqlite: address = folder.path("test.sqlite")
    case .postgresql:
      let server = try PostgresServer.shared
      address = server.address(try server.makeDatabase())
    }
  }

  func connect() throws -> any Database {
    switch engine {
    case .sqlite: SQLiteDatabase(try SQLiteConnection(path: address))
    case .postgresql: PostgresDatabase(try PostgresAddress(address))
    }
  }
}
