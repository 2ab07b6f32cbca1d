import Glibc

/// A file that is written beside the one it replaces, so that whoever looks finds the old one or the whole new one.
///
/// What is no file, such as a terminal or a pipe, is written as it is.
final class AtomicFile {
  private static let bufferSize = 64 << 10

  private let path: String
  /// Where it is written until `commit`; nil for what is no file.
  private var temporary: String?
  private var descriptor: CInt
  private var buffer: [UInt8] = []

  /// Begins to write the file. Nothing of it is seen before `commit`; without that, nothing is left behind.
  init(path: String) throws(ImportError) {
    var status = stat()
    let exists = stat(path, &status) == 0
    // Through a symbolic link, so that the link stays.
    self.path = exists ? Self.resolved(path) : path
    if exists, status.st_mode & S_IFMT != S_IFREG {
      descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY)
    } else {
      let name = "\(self.path).\(String(UInt32.random(in: 0...UInt32.max), radix: 36)).part"
      descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, exists ? status.st_mode & 0o777 : 0o666)
      temporary = name
    }
    guard descriptor >= 0 else {
      temporary = nil
      throw failure(errno)
    }
  }

  /// Writes to standard output, as far as it got when something fails.
  init(standardOutput: ()) throws(ImportError) {
    path = "standard output"
    descriptor = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0)
    guard descriptor >= 0 else { throw failure(errno) }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
    if let temporary { unlink(temporary) }
  }

  func write(_ bytes: some Sequence<UInt8>) throws(ImportError) {
    buffer += bytes
    if buffer.count >= Self.bufferSize { try flush() }
  }

  /// Puts it in place. Where the machine loses power then, the file is there or the one from before is.
  func commit() throws(ImportError) {
    try flush()
    guard let temporary else { return }
    guard fsync(descriptor) == 0, rename(temporary, path) == 0 else { throw failure(errno) }
    self.temporary = nil
  }

  private func flush() throws(ImportError) {
    var rest = buffer[...]
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if written > 0 { rest = rest.dropFirst(written) } else if errno != EINTR { throw failure(errno) }
    }
    buffer.removeAll(keepingCapacity: true)
  }

  private func failure(_ code: CInt) -> ImportError {
    ImportError(
      kind: .unwritable, message: "\(path) cannot be written: \(String(cString: strerror(code)))",
      details: ["path": path])
  }

  private static func resolved(_ path: String) -> String {
    guard let real = realpath(path, nil) else { return path }
    defer { free(real) }
    return String(cString: real)
  }
}
