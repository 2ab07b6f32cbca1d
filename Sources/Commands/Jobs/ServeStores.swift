import Accounts
import Automation
import CommandLine
import Core
import Crypto
import DatabaseAddress
import Databases
import Files
import Glibc
import HostLoop
import JobServer
import JobTables
import Jobs

extension ServedStores {
  /// The stores that the options name.
  @HostActor
  init(_ run: RunOptions, _ place: JobsPlace, _ console: Console) async throws {
    guard let address = try run.jobDatabase else {
      guard run.session.machineName == nil else {
        throw UsageError(
          "serve: --machine names one of several machines", hint: "add --store postgresql://USER@HOST/NAME")
      }
      let store = try place.state.open()
      self.init(
        turns: store, reading: nil, machine: nil, digests: JobSeal(key: try place.state.digestKey()), lease: 0)
      return
    }
    let seal = try await run.jobSeal(console)
    let turns = try await JobStore.open(address, seeksCommits: true, seal: seal, console)
    let reading = try await JobStore.open(address, seal: seal, console)
    let host = HostName.current
    let machine = JobMachine(
      name: run.session.machineName ?? host, session: Int64.random(in: 1 ... .max),
      folder: try place.state.identity { SecureRandom.bytes(16).hexadecimal }, host: host, process: Int64(getpid()),
      version: run.session.version)
    self.init(turns: turns, reading: reading, machine: machine, digests: seal, lease: try Self.leaseTime)
  }

  /// The variable with the seconds of the lease, for tests.
  private static let variable = "B2C_RUN_LEASE"

  private static var leaseTime: Double {
    get throws {
      guard let text = getenv(variable).map({ String(path: $0) }) else { return Membership.usualLease }
      guard let seconds = Double(text), (1...3600).contains(seconds) else {
        throw UsageError("\(variable): expected a number of seconds from 1 to 3600, got '\(text)'")
      }
      return seconds
    }
  }
}

extension JobStore {
  /// Opens the store in a database. Waits for a server that does not answer.
  static func open(
    _ address: PostgresAddress, seeksCommits: Bool = false, seal: JobSeal?, _ console: Console
  ) async throws -> JobStore {
    let database = PostgresDatabase(address, seeksCommits: seeksCommits)
    let warn: @HostActor (String) -> Void = { console.log(.warn, $0) }
    return try await PostgresDatabase.patiently(address.shown, warn) { try await Self.open(database, seal: seal) }
  }
}

extension RunOptions {
  /// The seal of the machines that share a database. Its key is that of their accounts, which the first machine makes.
  /// Throws `other_group` on a machine without the key.
  @HostActor
  func jobSeal(_ console: Console) async throws -> JobSeal {
    let accounts = try await KeptSecrets(session, console).store()
    return JobSeal(key: try await accounts.derivedKey(for: JobSeal.purpose))
  }

  /// The database of `--store`, if several machines share it; nil for a folder.
  var jobDatabase: PostgresAddress? {
    get throws {
      guard let text = try session.storePlace(), PostgresAddress.isOne(text) else { return nil }
      return try PostgresAddress(text)
    }
  }
}
