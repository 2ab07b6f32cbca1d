import Glibc
import HostLoop

/// The right to refresh one account's tokens, held by one store in all processes.
struct RefreshLock {
  let file: LockFile
  let byte: Int64

  func release() { file.unlock(byte) }
}

extension AccountStore {
  /// In seconds. A refresh begins no request after 10, and each has a time limit of its own.
  private nonisolated static let patience = 90.0

  /// Waits for the right to refresh; nil for a store in memory, which is shared with nobody.
  func lockRefresh(of account: Account) async throws -> RefreshLock? {
    guard let locks else { return nil }
    let deadline = HostLoop.uptime + Self.patience
    var pause = 0.005
    while !locks.tryLock(account.number) {
      guard HostLoop.uptime < deadline else {
        throw AccountError(
          .refreshBusy,
          "another process has been refreshing the tokens of the account \(account.name) for \(Int(Self.patience)) seconds",
          hint: "try again, or end the process that hangs")
      }
      try await HostLoop.shared.sleep(seconds: pause)
      pause = min(pause * 2, 0.2)
    }
    return RefreshLock(file: locks, byte: account.number)
  }
}

extension HostLoop {
  /// Seconds that no change of the clock affects.
  static var uptime: Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
