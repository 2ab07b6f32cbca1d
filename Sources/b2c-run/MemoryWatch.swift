import Glibc

/// Measures the memory of the process, for `--memory`: Lua's limit knows nothing of the host's memory for a script.
struct MemoryWatch: Sendable {
  /// Seconds between two looks.
  static let pause = 0.01
  /// Bytes for the program itself beside the limit: libraries, caches, buffers, and free memory between used parts.
  static let headroom = 64 << 20

  let limit: Int
  private let file: CInt
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
