import Core
import Databases
import Glibc
import HostLoop
import ImportEngine
import ImportFormats

/// Reserves a journal for one import at a time: a file beside it, locked by the process that has it open. The kernel
/// drops the lock with the process, so a crash leaves none behind. The file keeps some room for a full disk.
final class JournalLock: Sendable {
  /// Enough for the outcomes of some ten thousand rows.
  private static let reserve = 512 << 10
  /// The holder's process and time are in the bytes before it.
  private static let reserveStart = 4096

  private static let ending = "-lock"

  private let place: DatabasePlace
  /// Nil once the lock is given up.
  private let descriptor: Locked<Int32?>

  private init(_ place: DatabasePlace, descriptor: Int32) {
    self.place = place
    self.descriptor = Locked<Int32?>(descriptor)
  }

  deinit { release() }

  /// Gives the lock up. Does nothing the second time.
  func release() {
    descriptor.withLock { descriptor in
      guard let open = descriptor else { return }
      // The name first: the next process makes its own file.
      if Self.isNamed(open, place) { place.remove(Self.ending) }
      close(open)
      descriptor = nil
    }
  }

  /// Frees the reserved room on the disk; false if there was none.
  func freeReserve() -> Bool {
    descriptor.withLock { descriptor in
      var status = stat()
      guard let descriptor, fstat(descriptor, &status) == 0, status.st_size > Self.reserveStart else { return false }
      return ftruncate(descriptor, off_t(Self.reserveStart)) == 0
    }
  }

  enum Outcome {
    case taken(JournalLock)
    /// Nil if the holder has not yet written its process.
    case held(JournalHolder?)
  }

  static func take(_ place: DatabasePlace, now: Int) throws(ImportError) -> Outcome {
    let path = place.path + ending
    // Each round means that another process just gave the lock up and removed the file.
    for _ in 0..<100 {
      // A link is not followed, because another file would be overwritten.
      let descriptor = place.open(ending, O_RDWR | O_CREAT, 0o600)
      guard descriptor >= 0 else {
        throw .journalUnusable(
          "the journal's lock file \(path) cannot be made: \(String(cString: strerror(errno)))",
          hint: "check who owns the folder and whether its disk is full or read-only, or give another file with "
            + "--journal", path: place.path)
      }
      guard isOwn(descriptor) else {
        close(descriptor)
        throw .journalUnusable(
          "the journal's lock file \(path) is not one that b2c-run made", hint: "move it away, then import again",
          path: place.path)
      }
      guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
        defer { close(descriptor) }
        return .held(read(descriptor))
      }
      guard isNamed(descriptor, place) else {
        close(descriptor)
        continue
      }
      // The file of another process's lock may have been removed.
      guard !JournalSeal.isHeld(place) else {
        JournalLock(place, descriptor: descriptor).release()
        return .held(nil)
      }
      // Only messages use the holder: the lock is valid even if this cannot be written.
      let holder = Array("\(getpid()) \(now)\n".utf8)
      ftruncate(descriptor, 0)
      _ = pwrite(descriptor, holder, holder.count, 0)
      // A full disk, or a system without this call, gets no reserve.
      if posix_fallocate(descriptor, off_t(reserveStart), off_t(reserve)) != 0 {
        ftruncate(descriptor, off_t(reserveStart))
      }
      return .taken(JournalLock(place, descriptor: descriptor))
    }
    return .held(nil)
  }

  /// The holder of that journal's lock; nil if it is free.
  static func holder(_ place: DatabasePlace) -> JournalHolder? {
    let descriptor = place.open(ending, O_RDONLY)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    guard flock(descriptor, LOCK_SH | LOCK_NB) != 0 else { return nil }
    return read(descriptor)
  }

  /// True if the open file still has that name.
  private static func isNamed(_ descriptor: Int32, _ place: DatabasePlace) -> Bool {
    var opened = stat()
    guard fstat(descriptor, &opened) == 0, let named = place.status(ending) else { return false }
    return opened.st_ino == named.st_ino && opened.st_dev == named.st_dev
  }

  /// True if it is a file with a single name, which may be overwritten.
  private static func isOwn(_ descriptor: Int32) -> Bool {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return false }
    // A process that just gave the lock up has removed the name.
    return status.st_mode & S_IFMT == S_IFREG && status.st_nlink <= 1 && status.st_uid == geteuid()
  }

  private static func read(_ descriptor: Int32) -> JournalHolder? {
    let text = [UInt8](unsafeUninitializedCapacity: 64) { buffer, count in
      count = max(0, pread(descriptor, buffer.baseAddress, 64, 0))
    }
    let numbers = String(decoding: text, as: UTF8.self).split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
    return numbers.count == 2 ? JournalHolder(process: numbers[0], since: numbers[1]) : nil
  }
}
