import Accounts
import Automation
import Core
import Crypto
import DatabaseAddress
import Databases
import Files
import Glibc
import HostLoop
import Jobs

/// The store of a job host: in its state folder, or in a database that several machines share.
@HostActor
struct ServeStores {
  /// For the transactions of turns.
  let turns: JobStore
  /// For everything else; nil if it is the same.
  let reading: JobStore?
  /// This machine among several; nil where there is only one.
  let machine: JobMachine?
  /// Makes the digests of values that the history does not have.
  let digests: JobSeal
  /// The seconds after which a machine that says nothing is dead.
  let lease: Double

  init(_ invocation: Invocation, _ place: JobsPlace, _ console: Console) async throws {
    guard let address = try invocation.jobDatabase else {
      guard invocation.configuration.machineName == nil else {
        throw UsageError(
          "serve: --machine names one of several machines", hint: "add --store postgresql://USER@HOST/NAME")
      }
      (turns, reading, machine, lease) = (try place.state.open(), nil, nil, 0)
      digests = JobSeal(key: try place.state.digestKey())
      return
    }
    let seal = try await invocation.jobSeal(console)
    digests = seal
    turns = try await JobStore.open(address, seeksCommits: true, seal: seal, console)
    reading = try await JobStore.open(address, seal: seal, console)
    let host = HostName.current
    machine = JobMachine(
      name: invocation.configuration.machineName ?? host, session: Int64.random(in: 1 ... .max),
      folder: try place.state.identity { SecureRandom.bytes(16).hexadecimal }, host: host, process: Int64(getpid()),
      version: Version.text)
    lease = try Self.leaseTime
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

extension Invocation {
  /// The seal of the machines that share a database. Its key is that of their accounts, which the first machine makes.
  /// Throws `other_group` on a machine without the key.
  @HostActor
  func jobSeal(_ console: Console) async throws -> JobSeal {
    let accounts = try await KeptSecrets(configuration, console).store()
    return JobSeal(key: try await accounts.derivedKey(for: JobSeal.purpose))
  }

  /// The database of `--store`, if several machines share it; nil for a folder.
  var jobDatabase: PostgresAddress? {
    get throws {
      guard let text = try configuration.storePlace(), PostgresAddress.isOne(text) else { return nil }
      return try PostgresAddress(text)
    }
  }
}
