import CLinuxShims
import Core
package import Glibc

/// An open file or folder. It closes its descriptor with its last reference.
package final class OpenFile: Sendable {
  /// Valid as long as this object lives.
  package let descriptor: CInt

  /// Takes over the descriptor.
  package init(owning descriptor: CInt) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// Opens exactly the file at the absolute `path` and follows no link. A path that was resolved and checked before,
  /// and had no links then, leads to the checked file, or to none.
  package convenience init(exact path: [UInt8], _ opening: Opening) throws(FileFailure) {
    try self.init(
      opening, cfile_open_exact(try FolderEntry.terminated(path), opening.allFlags, opening.mode), exact: path)
  }

  /// The same without openat2(2), which kernels before 5.6 and some sandboxes lack.
  package convenience init(walking path: [UInt8], _ opening: Opening) throws(FileFailure) {
    _ = try FolderEntry.terminated(path)
    try self.init(opening, FolderEntry(exact: path).open(opening.allFlags, opening.mode))
  }

  /// Opens the file at `path` as the system finds it: links are followed, and `~` has no meaning. For paths that a person or
  /// the host names, and for scripts that may do anything.
  package convenience init(_ path: [UInt8], _ opening: Opening) throws(FileFailure) {
    try self.init(opening, open(try FolderEntry.terminated(path), opening.allFlags, opening.mode))
  }

  /// The same.
  package convenience init(_ path: String, _ opening: Opening) throws(FileFailure) {
    try self.init(path.pathBytes, opening)
  }

  /// Standard input with a descriptor of its own.
  package static func standardInput() throws(FileFailure) -> OpenFile {
    OpenFile(owning: try FileFailure.check(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)))
  }

  /// A new file in memory, which is gone with this object.
  package static func inMemory() throws(FileFailure) -> OpenFile {
    OpenFile(owning: try FileFailure.check(cfile_make_memory()))
  }

  convenience init(in folder: OpenFile, _ name: String, _ opening: Opening) throws(FileFailure) {
    try self.init(
      opening, name.withPath { cfile_open_at(folder.descriptor, $0, opening.allFlags, opening.mode) })
  }

  private convenience init(_ opening: Opening, _ descriptor: CInt, exact path: [UInt8]) throws(FileFailure) {
    // A sandbox that does not know a call often reports EPERM.
    if descriptor < 0, errno == ENOSYS || errno == EPERM {
      try self.init(walking: path, opening)
    } else {
      try self.init(opening, descriptor)
    }
  }

  private convenience init(_ opening: Opening, _ descriptor: CInt) throws(FileFailure) {
    // A socket cannot be opened, nor a pipe without a reader.
    self.init(owning: try FileFailure.check(descriptor))
    try opening.check(self)
  }

  /// A second descriptor of the same open file, which the caller closes.
  package func duplicate() throws(FileFailure) -> CInt {
    try FileFailure.check(fcntl(descriptor, F_DUPFD_CLOEXEC, 0))
  }

  /// True for a device, and for a file of a file system that the kernel makes up, such as proc, wherever it is mounted.
  package var isOfSystem: Bool { cfile_is_of_system(descriptor) }

  package func status() throws(FileFailure) -> stat {
    var status = stat()
    try FileFailure.check(fstat(descriptor, &status))
    return status
  }

  /// Reads the rest of the file. Throws EFBIG for more than `limit` bytes.
  package func contents(limit: Int = .max) throws(FileFailure) -> [UInt8] {
    let status = try status()
    let size = status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : 0
    guard size <= limit else { throw FileFailure(number: EFBIG) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(size)
    // One byte more finds the end at once.
    var chunk = [UInt8](repeating: 0, count: min(max(size + 1, 4 << 10), 64 << 10))
    while true {
      let count = try read(into: &chunk)
      guard bytes.count + count <= limit else { throw FileFailure(number: EFBIG) }
      if count == 0 { return bytes }
      bytes += chunk[..<count]
    }
  }

  package func write(_ bytes: some Collection<UInt8>) throws(FileFailure) {
    try Self.write(Array(bytes), to: descriptor)
  }

  /// Reads the next bytes, and waits for them. Returns 0 at the end.
  package func read(into target: inout [UInt8]) throws(FileFailure) -> Int {
    let count = cstream_read(descriptor, &target, target.count, nil)
    guard count >= 0 else { throw FileFailure(number: errno) }
    return count
  }

  /// The same for a descriptor, which other processes may share.
  package static func read(
    _ descriptor: CInt, into target: UnsafeMutableRawBufferPointer
  ) throws(FileFailure) -> Int {
    let count = cstream_read(descriptor, target.baseAddress, target.count, nil)
    guard count >= 0 else { throw FileFailure(number: errno) }
    return count
  }

  /// Writes all bytes to a descriptor, which other processes may share.
  package static func write(_ bytes: [UInt8], to descriptor: CInt) throws(FileFailure) {
    let written = bytes.withUnsafeBytes { cstream_write(descriptor, $0.baseAddress, $0.count, nil) }
    guard written == bytes.count else { throw FileFailure(number: errno) }
  }
}
