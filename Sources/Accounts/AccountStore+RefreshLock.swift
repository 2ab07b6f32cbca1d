import Glibc
import HostLoop

/// The right to refresh one account's tokens, held by one store in all processes.
struct RefreshLock {
  let file: LockFile
  let byte: Int64

  func release() { file.unlock(byte) }
}

extension AccountStore {
  /// A refresh is one request, whose own time limit is shorter.
  private nonisolated static let patience: Int64 = 60

  /// Waits for the right to refresh; nil for a store in memory, which is shared with nobody.
  func lockRefresh(of account: Account) async throws -> RefreshLock? {
    guard let locks else { return nil }
    let deadline = Self.uptime + Self.patience
    var pause = 0.005
    while !locks.tryLock(account.number) {
      guard Self.uptime < deadline else {
        throw AccountError(
          .refreshBusy,
          "another process has been refreshing the tokens of the account \(account.name) for \(Self.patience) seconds",
          hint: "try again, or end the process that hangs")
      }
      try await HostLoop.shared.sleep(seconds: pause)
      pause = min(pause * 2, 0.2)
    }
    return RefreshLock(file: locks, byte: account.number)
  }

  /// Seconds that no change of the clock affects.
  private nonisolated static var uptime: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec)
  }
}
