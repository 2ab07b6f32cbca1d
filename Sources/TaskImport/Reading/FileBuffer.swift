import Glibc

/// A file read through a window: the bytes from the row under way onwards, as many as fit.
///
/// The window is memory of its own rather than a mapping of the file: a file that another program cuts short while it
/// is mapped ends the process with SIGBUS.
final class FileBuffer {
  private static let initialSize = 256 << 10

  private let descriptor: Int32
  private let path: String
  private var memory: UnsafeMutableRawBufferPointer
  /// The first byte still needed, and the end of those read, in `memory`.
  private(set) var start = 0
  private(set) var end = 0
  /// Whether the end of the file has been read.
  private(set) var isAtEnd = false
  /// How many bytes of the file lie before `start`.
  private(set) var consumed = 0
  /// The size of a regular file when it was opened; nil for a pipe.
  let totalBytes: Int?

  init(path: String) throws(ImportError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Self.openFailure(path, errno) }
    var status = stat()
    let isKnown = fstat(descriptor, &status) == 0
    if isKnown, status.st_mode & S_IFMT == S_IFDIR {
      close(descriptor)
      throw ImportError(kind: .isDirectory, message: "\(path) is a directory, expected a file")
    }
    self.descriptor = descriptor
    self.path = path
    totalBytes = isKnown && status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : nil
    memory = .allocate(byteCount: Self.initialSize, alignment: 16)
  }

  deinit {
    close(descriptor)
    memory.deallocate()
  }

  /// The window's memory; what counts is in `start..<end`.
  var base: UnsafeRawPointer { UnsafeRawPointer(memory.baseAddress.unsafelyUnwrapped) }

  /// Gives up the next `count` bytes of the window.
  func consume(_ count: Int) {
    start += count
    consumed += count
  }

  /// Reads on; the window moves to the front of its memory, which doubles when it is full. Indices from before are void.
  func fill() throws(ImportError) {
    let target = memory.baseAddress.unsafelyUnwrapped
    if start > 0 {
      memmove(target, target + start, end - start)
      end -= start
      start = 0
    }
    if end == memory.count { grow() }
    while true {
      let count = read(descriptor, memory.baseAddress.unsafelyUnwrapped + end, memory.count - end)
      if count >= 0 {
        end += count
        isAtEnd = count == 0
        return
      }
      guard errno == EINTR else {
        throw ImportError(kind: .unreadable, message: "\(path) cannot be read: \(Self.reason(errno))")
      }
    }
  }

  private func grow() {
    let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: 2 * memory.count, alignment: 16)
    larger.copyMemory(from: UnsafeRawBufferPointer(memory))
    memory.deallocate()
    memory = larger
  }

  private static func openFailure(_ path: String, _ number: Int32) -> ImportError {
    number == ENOENT
      ? ImportError(kind: .fileNotFound, message: "\(path) does not exist")
      : ImportError(kind: .unreadable, message: "\(path) cannot be opened: \(reason(number))")
  }

  private static func reason(_ number: Int32) -> String {
    String(cString: strerror(number))
  }
}
