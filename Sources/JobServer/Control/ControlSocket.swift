import Core
import Files
import Glibc

/// A Unix socket at a path of any length. Errors are numbers of errno.
enum ControlSocket {
  /// The most characters of a path in an address (unix(7)).
  private static let longest = 107

  /// A socket that waits for connections. Only the owner of the process may connect.
  static func listen(at path: String) -> Result<Int32, FileFailure> {
    FileSystem.unlink(path)
    return Self.open(path) { descriptor, address, size in
      // The folder is the owner's alone, so nobody connects between these two calls.
      bind(descriptor, address, size) == 0 && path.withPath({ chmod($0, 0o600) }) == 0
        && Glibc.listen(descriptor, 64) == 0
    }
  }

  static func connect(to path: String) -> Result<Int32, FileFailure> {
    Self.open(path) { Glibc.connect($0, $1, $2) == 0 }
  }

  private static func open(
    _ path: String, _ use: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Bool
  ) -> Result<Int32, FileFailure> {
    // A longer path is reached through the open folder.
    var folder: OpenFile?
    var short = path
    if path.pathBytes.count > longest {
      do { folder = try OpenFile(path.parentFolder, .listing) } catch { return .failure(error) }
      short = "/proc/self/fd/\(folder!.descriptor)/\(path.lastName)"
    }
    defer { withExtendedLifetime(folder) {} }
    let descriptor = socket(
      AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
    guard descriptor >= 0 else { return .failure(FileFailure(number: errno)) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: short.pathBytes.prefix(longest)) }
    let isDone = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        use(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard isDone else {
      let number = errno
      close(descriptor)
      return .failure(FileFailure(number: number))
    }
    return .success(descriptor)
  }
}
