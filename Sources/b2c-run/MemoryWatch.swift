import Glibc

/// Looks how much memory the process has taken, for `--memory`: Lua's own limit knows nothing of what the host makes for a
/// script.
struct MemoryWatch: Sendable {
  /// Seconds between two looks.
  static let pause = 0.01
  /// The bytes that the program may take for itself beside the limit: libraries, caches, buffers, and memory that lies free
  /// between what is used.
  static let headroom = 64 << 20

  let limit: Int
  private let file: CInt
  /// The memory of the process at the first look.
  private let start: Int

  /// Nil without a limit, and where the system does not tell.
  init?(limit: Int) {
    guard limit > 0 else { return nil }
    file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
    guard file >= 0, let start = Self.taken(file) else { return nil }
    self.start = start
    self.limit = limit
  }

  /// How many bytes have been taken beyond the limit and the headroom altogether; nil when it holds.
  var excess: Int? {
    guard let taken = Self.taken(file), taken - start > limit &+ Self.headroom else { return nil }
    return taken - start
  }

  /// The memory in use that is the process's own: without libraries and other files that the system can read again.
  private static func taken(_ file: CInt) -> Int? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { text in
      // The last byte ends the text for strtol.
      text.initialize(repeating: 0)
      guard pread(file, text.baseAddress, text.count - 1, 0) > 0 else { return nil }
      var rest = text.baseAddress
      func number() -> Int { rest.map { strtol($0, &rest, 10) } ?? 0 }
      let (_, resident, shared) = (number(), number(), number())
      return max(0, resident - shared) * Int(getpagesize())
    }
  }
}
