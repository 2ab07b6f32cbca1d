import Glibc

/// Bytes that are written once and then read once: in memory while they are few, else in a file that has no name, and so
/// is gone with the process.
final class SpooledBytes {
  private var memory: [UInt8] = []
  private var descriptor: CInt?
  /// Where reading goes on.
  private var position = 0
  private let threshold: Int

  /// - Parameter threshold: bytes that are kept in memory.
  init(threshold: Int = 4 << 20) { self.threshold = threshold }

  deinit {
    if let descriptor { close(descriptor) }
  }

  func append(_ bytes: UnsafeRawBufferPointer) throws(TaskAPIError) {
    memory.append(contentsOf: bytes)
    if memory.count > threshold { try flush() }
  }

  /// Reads up to `count` bytes; none at the end.
  func read(_ count: Int) throws(TaskAPIError) -> [UInt8] {
    guard let descriptor else {
      let end = min(memory.count, position + count)
      defer { position = end }
      return Array(memory[position..<end])
    }
    if !memory.isEmpty { try flush() }
    while true {
      var number: CInt = 0
      let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
        let done = pread(descriptor, buffer.baseAddress, count, off_t(position))
        number = errno
        initialized = max(0, done)
        if done >= 0 { number = 0 }
      }
      if number == 0 {
        position += bytes.count
        return bytes
      }
      guard number == EINTR else { throw failure(number) }
    }
  }

  private func flush() throws(TaskAPIError) {
    let file: CInt
    if let descriptor { file = descriptor } else { file = try openFile() }
    descriptor = file
    var rest = memory[...]
    while !rest.isEmpty {
      let done = rest.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
      if done > 0 { rest = rest.dropFirst(done) } else if errno != EINTR { throw failure(errno) }
    }
    memory.removeAll(keepingCapacity: true)
  }

  private func openFile() throws(TaskAPIError) -> CInt {
    let path = "\(Self.folder)/b2c-run-list-\(String(UInt64.random(in: 0...UInt64.max), radix: 36))"
    let file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw failure(errno) }
    unlink(path)
    return file
  }

  private static var folder: String { getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp" }

  private func failure(_ number: CInt) -> TaskAPIError {
    TaskAPIError(
      kind: .notKept,
      message: "the list of tasks cannot be kept in \(Self.folder): \(String(cString: strerror(number)))",
      hint: "the variable TMPDIR names another folder")
  }
}
