import Glibc

/// A trace as it can be read several times: a file, or what came through a pipe.
package final class TraceInput {
  private static let pieceSize = 256 << 10

  /// For people.
  package let name: String
  /// A regular file, open for as long as this lives.
  package let file: CInt

  /// Opens the file at `path`, or standard input for `-`. What is no file, such as a pipe, is read to its end.
  package init(_ path: String) throws(TraceError) {
    name = path == "-" ? "standard input" : path
    let source = path == "-" ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : open(path, O_RDONLY | O_CLOEXEC)
    guard source >= 0 else { throw .unreadable(name, String(cString: strerror(errno))) }
    var status = stat()
    if fstat(source, &status) == 0, status.st_mode & S_IFMT == S_IFREG {
      file = source
      return
    }
    defer { close(source) }
    file = try Self.copy(source, name)
  }

  deinit { close(file) }

  private static func copy(_ source: CInt, _ name: String) throws(TraceError) -> CInt {
    // It has no name, and is gone with this process.
    guard let stream = tmpfile() else { throw .unreadable(name, String(cString: strerror(errno))) }
    defer { fclose(stream) }
    let file = fcntl(fileno(stream), F_DUPFD_CLOEXEC, 0)
    guard file >= 0 else { throw .unreadable(name, String(cString: strerror(errno))) }
    var piece = [UInt8](repeating: 0, count: pieceSize)
    while true {
      let count = read(source, &piece, piece.count)
      if count < 0, errno == EINTR { continue }
      if count == 0 { return file }
      guard count > 0, write(file, piece, count) == count else {
        let reason = String(cString: strerror(errno))
        close(file)
        throw .unreadable(name, reason)
      }
    }
  }
}
