import Files
import Glibc

/// Bytes that are written once and then read once: in memory while they are few, else in a file that has no name, and so
/// is gone with the process.
final class SpooledBytes {
  private var memory: [UInt8] = []
  private var file: OpenFile?
  /// The offset at which reading goes on.
  private var position = 0
  private let threshold: Int

  /// - Parameter threshold: bytes that are kept in memory.
  init(threshold: Int = 4 << 20) { self.threshold = threshold }

  func append(_ bytes: UnsafeRawBufferPointer) throws(TaskAPIError) {
    memory.append(contentsOf: bytes)
    if memory.count > threshold { try flush() }
  }

  /// Reads up to `count` bytes; none at the end.
  func read(_ count: Int) throws(TaskAPIError) -> [UInt8] {
    guard let descriptor = file?.descriptor else {
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
    do {
      let open = if let file { file } else { try TemporaryPlace.openFile("b2c-run-list-") }
      file = open
      try open.write(memory)
    } catch {
      throw failure(error.number)
    }
    memory.removeAll(keepingCapacity: true)
  }

  private func failure(_ number: CInt) -> TaskAPIError {
    TaskAPIError(
      kind: .notKept,
      message: "the list of tasks cannot be kept in \(TemporaryPlace.folder): \(String(cString: strerror(number)))",
      hint: "the variable TMPDIR names another folder")
  }
}
