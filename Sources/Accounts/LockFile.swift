import Files
import Glibc
import HostLoop

/// Locks that the kernel drops with the process that holds them, so that a crash leaves none behind. They are on bytes
/// of one file, and belong to the open file: two stores of one process exclude each other too.
final class LockFile: Sendable {
  /// `F_OFD_SETLK`, part of Linux' interface since 3.15, which the C library shows to GNU sources only.
  private static let setLock: Int32 = 37

  private let file: OpenFile

  init(path: String) throws(AccountError) {
    do { file = try OpenFile(path, Opening(O_RDWR | O_CREAT, mode: 0o600)) } catch {
      throw AccountError(
        .storeUnusable, "the lock file \(path) cannot be opened: \(error.reason)",
        hint: "check who owns the folder, or give another one with --store")
    }
  }

  /// True if the lock on that byte could be had; it is not waited for.
  func tryLock(_ byte: Int64) -> Bool { set(F_WRLCK, byte) }

  func unlock(_ byte: Int64) { _ = set(F_UNLCK, byte) }

  private func set(_ type: Int32, _ byte: Int64) -> Bool {
    var lock = Glibc.flock()
    lock.l_type = Int16(type)
    lock.l_whence = Int16(SEEK_SET)
    lock.l_start = off_t(byte)
    lock.l_len = 1
    return fcntl(file.descriptor, Self.setLock, &lock) == 0
  }

  /// Locks the byte once nobody else holds it. Returns false when that took longer than so many seconds.
  @HostActor func waitToLock(_ byte: Int64, for patience: Double) async throws -> Bool {
    let deadline = HostLoop.uptime + patience
    var pause = 0.005
    while !tryLock(byte) {
      guard HostLoop.uptime < deadline else { return false }
      try await HostLoop.shared.sleep(seconds: pause)
      pause = min(pause * 2, 0.2)
    }
    return true
  }
}

extension AccountStore {
  /// In seconds. A refresh begins no request after 10, and each has a time limit of its own.
  private nonisolated static let patience = 90.0

  /// Makes or moves a key while nobody else does, in this process or another.
  func whileNobodyMakesKeys<Value: Sendable>(_ body: @HostActor () async throws(AccountError) -> Value)
    async throws(AccountError) -> Value
  {
    while let keyWork {
      // How that ends concerns its caller alone; what fails here is the wait, which a canceled task must not begin again.
      do { try await keyWork.value() } catch { throw canceledWait }
    }
    let work = SharedResult<Void>()
    keyWork = work
    defer {
      keyWork = nil
      work.finish(.success(()))
    }
    guard let locks else { return try await body() }
    let right: (any HeldRight)?
    do { right = try await locks.take(.keys(group: group), patience: Self.patience) } catch is CancellationError {
      throw canceledWait
    } catch { throw StoreSchema.translate(error, path) }
    guard let right else {
      throw AccountError(
        .storeUnusable,
        "another process has been busy with the keys of the account store \(path) for \(Int(Self.patience)) seconds",
        hint: "unlock the desktop's keyring, or end the process that hangs")
    }
    do {
      let value = try await body()
      await right.giveBack()
      return value
    } catch {
      await right.giveBack()
      throw error
    }
  }

  private var canceledWait: AccountError {
    AccountError(.storeUnusable, "the wait for the keys of the account store \(path) was canceled")
  }

  /// Waits for the right to refresh the account's tokens, and refreshes them. One store of all has the right at a time,
  /// except a store in memory.
  func whileNobodyRefreshes<Value: Sendable>(
    _ account: Account, _ body: @HostActor ((any HeldRight)?) async throws -> Value
  ) async throws -> Value {
    guard let locks else { return try await body(nil) }
    let right: (any HeldRight)?
    do {
      right = try await locks.take(
        .refresh(number: account.row.number, id: account.id), patience: Self.patience)
    } catch is CancellationError { throw CancellationError() } catch { throw StoreSchema.translate(error, path) }
    guard let right else { throw busy(account, "for \(Int(Self.patience)) seconds") }
    do {
      let value = try await body(right)
      await right.giveBack()
      return value
    } catch {
      await right.giveBack()
      throw error
    }
  }

  func busy(_ account: Account, _ sinceWhen: String) -> AccountError {
    AccountError(
      .refreshBusy,
      "another process has been refreshing the tokens of the account \(account.name) \(sinceWhen)",
      hint: "try again, or end the process that hangs")
  }
}
