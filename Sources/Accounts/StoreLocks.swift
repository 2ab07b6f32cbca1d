import Core
import Crypto
import Databases
import HostLoop

/// A right that one store has at a time, of all stores with the same files or the same database.
enum StoreRight {
  /// To make or move a key.
  case keys(group: String)
  /// To refresh the tokens of an account.
  case refresh(number: Int64, id: String)

  /// The name of its lease.
  var leaseName: String {
    switch self {
    case .keys(let group): "keys/\(group)"
    case .refresh(_, let id): "refresh/\(id)"
    }
  }
}

/// Gives rights to one store at a time.
@HostActor
protocol StoreLocks: AnyObject {
  /// Waits for the right. Returns nil if another store has had it for so many seconds.
  func take(_ right: StoreRight, patience: Double) async throws -> (any HeldRight)?
}

/// A right until it is given back.
@HostActor
protocol HeldRight: AnyObject {
  /// True if it is still held, in a transaction which depends on it.
  func isHeld(in statements: any Statements) async throws -> Bool
  func giveBack() async
}

/// Rights by locks of the kernel on bytes of a file.
@HostActor
final class FileLocks: StoreLocks {
  private let file: LockFile

  init(_ file: LockFile) { self.file = file }

  func take(_ right: StoreRight, patience: Double) async throws -> (any HeldRight)? {
    let byte: Int64 =
      switch right {
      // Far beyond the number of any account.
      case .keys: 1 << 62
      case .refresh(let number, _): number
      }
    return try await file.waitToLock(byte, for: patience) ? Held(file, byte) : nil
  }

  private final class Held: HeldRight {
    private let (file, byte): (LockFile, Int64)

    init(_ file: LockFile, _ byte: Int64) { (self.file, self.byte) = (file, byte) }

    func isHeld(in statements: any Statements) -> Bool { true }

    func giveBack() { file.unlock(byte) }
  }
}

/// Rights by leases of a database. The lease of a machine that dies ends by itself.
@HostActor
final class LeaseLocks: StoreLocks {
  /// Seconds that a lease lasts, and after which it is renewed.
  private static let (duration, beat) = (30.0, 10.0)

  private let database: any Database

  init(_ database: any Database) { self.database = database }

  func take(_ right: StoreRight, patience: Double) async throws -> (any HeldRight)? {
    let owner = CurrentTape.paused { SecureRandom.bytes(16).uuid(version: 4) }
    let deadline = HostLoop.uptime + patience
    var pause = 0.02
    while true {
      if let lease = try await Lease.take(right.leaseName, owner: owner, seconds: Self.duration, in: database) {
        return Held(lease, database)
      }
      guard HostLoop.uptime < deadline else { return nil }
      try await HostLoop.shared.sleep(seconds: pause * Double.random(in: 0.5...1))
      pause = min(pause * 2, 1)
    }
  }

  private final class Held: HeldRight {
    private let lease: Lease
    private let database: any Database
    private var timer: TimerQueue.ID?
    private var isOver = false

    init(_ lease: Lease, _ database: any Database) {
      (self.lease, self.database) = (lease, database)
      schedule()
    }

    private func schedule() {
      timer = HostLoop.shared.schedule(after: LeaseLocks.beat) { [weak self] in
        HostActor.task { await self?.renew() }
      }
    }

    private func renew() async {
      guard !isOver else { return }
      // A lease that could not be renewed ends, which `isHeld` finds out.
      let isHeld = try? await lease.renew(seconds: LeaseLocks.duration, in: database)
      if isHeld != false, !isOver { schedule() }
    }

    func isHeld(in statements: any Statements) async throws -> Bool { try await lease.isHeld(in: statements) }

    func giveBack() async {
      isOver = true
      if let timer { HostLoop.shared.cancel(timer) }
      // The work is done. A lease that cannot be given back ends by itself.
      _ = try? await lease.release(in: database)
    }
  }
}
