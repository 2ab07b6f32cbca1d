import Files
import Glibc

/// Bytes written once and then read once: few in memory, many in a file without a name, gone with the process.
final class SpooledBytes {
  /// The most bytes that are kept in memory.
  private static let threshold = 4 << 20

  private var memory: [UInt8] = []
  private var file: OpenFile?
  private var position = 0

  func append(_ bytes: UnsafeRawBufferPointer) throws(TaskAPIError) {
    memory.append(contentsOf: bytes)
    if memory.count > Self.threshold { try flush() }
  }

  func read(_ count: Int) throws(TaskAPIError) -> [UInt8] {
    guard let descriptor = file?.descriptor else {
      let end = min(memory.count, position + count)
      defer { position = end }
      return Array(memory[position..<end])
    }
    if !memory.isEmpty { try flush() }
    var bytes = [UInt8](repeating: 0, count: count)
    var done = -1
    repeat { done = pread(descriptor, &bytes, count, off_t(position)) } while done < 0 && errno == EINTR
    guard done >= 0 else { throw failure(errno) }
    position += done
    return Array(bytes[..<done])
  }

  private func flush() throws(TaskAPIError) {
    do {
      let open = if let file { file } else { try TemporaryPlace.openFile("b2c-run-list-") }
      file = open
      try open.write(memory)
    } catch { throw failure(error.number) }
    memory.removeAll(keepingCapacity: true)
  }

  private func failure(_ number: CInt) -> TaskAPIError {
    TaskAPIError(
      kind: .notKept,
      message: "the list of tasks cannot be kept in \(TemporaryPlace.folder): \(String(cString: strerror(number)))",
      hint: "the variable TMPDIR names another folder")
  }
}
