import Files
import Glibc

/// Locks that the kernel drops with the process that holds them, so that a crash leaves none behind.
///
/// They are on bytes of one file, and belong to the open file: two stores of one process exclude each other too.
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
}
