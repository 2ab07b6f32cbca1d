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
    var text: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0, 0, 0)
    return withUnsafeMutableBytes(of: &text) { buffer in
      let count = pread(file, buffer.baseAddress, buffer.count, 0)
      guard count > 0 else { return nil }
      var numbers = (size: 0, resident: 0, shared: 0)
      var index = 0
      for byte in buffer.prefix(count) {
        guard byte != UInt8(ascii: " ") else {
          index += 1
          continue
        }
        guard index < 3, byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { break }
        let digit = Int(byte - UInt8(ascii: "0"))
        switch index {
        case 0: numbers.size = numbers.size * 10 + digit
        case 1: numbers.resident = numbers.resident * 10 + digit
        default: numbers.shared = numbers.shared * 10 + digit
        }
      }
      return max(0, numbers.resident - numbers.shared) * Int(getpagesize())
    }
  }
}
